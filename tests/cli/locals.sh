#!/usr/bin/env bash
# Variables on a stack have names in reports, by debug information, whichever compiler laid out the frame.
. "$(dirname "$0")/lib.bash"
cat >locals.c <<'C'
#include <assert.h>
#include <pthread.h>
struct account { int owner; struct { int balance, fees; } sum; pthread_mutex_t lock; };
static void *pay(void *arg)
{
    struct account *a = arg;
    int n = a->sum.fees;
    pthread_mutex_lock(&a->lock);
    a->sum.fees = n + 1;
    pthread_mutex_unlock(&a->lock);
    return 0;
}
static int settle(int rounds)
{
    struct account mine = {7, {0, 0}, PTHREAD_MUTEX_INITIALIZER};
    pthread_t t[2];
    char room[5000];
    for (int i = 0; i < (int)sizeof room; i++)
        room[i] = (char)(i * rounds);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, pay, &mine);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return room[rounds] == 100 ? 0 : mine.sum.fees;
}
int main(void)
{
    assert(settle(1) == 2);
    return 0;
}
C
# The same with the object on the stack of another thread.
sed 's/^int main/static void *other(void *n) { (void)n; assert(settle(1) == 2); return 0; }\n&/; s/^    assert(settle.*/    pthread_t t; pthread_create(\&t, 0, other, 0); pthread_join(t, 0);/' locals.c >thread.c
try() { # try NAME COMPILER FLAGS...
    local name=$1
    shift
    "$@" -g -fsanitize=thread locals.c -o locals && "$@" -g -fsanitize=thread thread.c -o thread || { check "$name: builds" false; return; }
    heddle test --seed 1 --runs 200 --dir "$name.d" -- ./locals
    check "$name: found" test $rc = 66
    check "$name: a member by its name" grep -q '`mine.sum.fees`' out
    check "$name: a lock by its name" grep -q 'lock mine.lock' out
    check "$name: JSON has it, too" jq -e '[.. | .variable? // empty] | index("mine.sum.fees")' "$name.d/findings/latest/report.json"
    heddle test --seed 1 --runs 200 --dir "$name.t" -- ./thread
    check "$name: another thread's variable has a letter" grep -Eq 'write A' out
    check "$name: ... which is explained" grep -q 'A is `mine.sum.fees`, a local variable of settle(), on the' out
}
try O0 gcc -O0
try O2 gcc -O2
if command -v clang >/dev/null; then
    try clang0 clang -shared-libsan -O0
    try clang2 clang -shared-libsan -O2
fi
# A request on the stack of a caller that has given up, and of whom another call is under way by now: each
# step has the variable that was there then.
cat >reused.c <<'C'
#include <errno.h>
#include <pthread.h>
#include <time.h>
struct request { int done, answer; };
static struct request *next;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *server(void *arg)
{
    pthread_mutex_lock(&m);
    struct request *mine = next;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    mine->done = mine->answer = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
__attribute__((noinline)) static int call(pthread_t *t)
{
    struct request r = {0, 0};
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += 5000000;
    if (ts.tv_nsec >= 1000000000)
        ts.tv_sec++, ts.tv_nsec -= 1000000000;
    pthread_mutex_lock(&m);
    next = &r;
    pthread_create(t, 0, server, 0);
    while (!r.done && pthread_cond_timedwait(&c, &m, &ts) != ETIMEDOUT)
        ;
    int is = r.done;
    pthread_mutex_unlock(&m);
    return is;
}
__attribute__((noinline)) static int sum(pthread_t t)
{
    volatile int room[32];
    int all = 0;
    for (int i = 0; i < 32; i++)
        room[i] = 2;
    pthread_join(t, 0);
    for (int i = 0; i < 32; i++)
        all += room[i];
    return all;
}
int main(void)
{
    pthread_t t;
    call(&t);
    return sum(t) != 64;
}
C
gcc -g -O1 -fsanitize=thread reused.c -o reused
heddle test --seed 1 --runs 300 -- ./reused
check "a place of the stack that another call uses" test $rc = 66
check "... has the variable of the first call while that lasts" grep -q 'read r.done = 0' out
check "... and that of the other one later" grep -Eq 'write room\[[0-9]+\] 2' out
# Without debug information the address is all there is.
gcc -O1 -fsanitize=thread locals.c -o bare
heddle test --seed 1 --runs 200 -- ./bare
check "without debug information: no name, and no crash" bash -c "grep -q 'on the stack of T0' out && ! grep -q 'mine' out"
cat >race.cc <<'C'
#include <thread>
#include <vector>
struct Stats { long hits = 0, misses = 0; };
int main()
{
    Stats s;
    std::vector<std::thread> all;
    for (int i = 0; i < 2; i++)
        all.emplace_back([&s] { s.misses++; });
    for (auto &t : all)
        t.join();
}
C
g++ -g -O1 -fsanitize=thread race.cc -o race
unset HEDDLE_OPTIONS
heddle races --seed 1 --runs 20 -- ./race
check "a race says whose variable it is" grep -q '`s.misses` (long' out
tr '\n' ' ' <out >flat
check "... in which structure, and where it is" grep -Eq 'in struct Stats at race.cc:3, a local variable of *main\(\), on the *stack of T0' flat
# The body of a parallel region is a function with a name of the compiler's.
cat >region.cc <<'C'
namespace n {
struct Q {
    static int m;
    static void f(int k)
    {
#pragma omp parallel num_threads(2)
        m += k;
    }
};
int Q::m;
}
int main() { n::Q::f(2); }
C
if g++ -g -O1 -fopenmp -fsanitize=thread region.cc -o region 2>/dev/null; then
    heddle races --seed 1 --runs 20 -- ./region
    check "a parallel region is named by its function" bash -c "grep -q 'n::Q::f._omp_fn.0' out && ! grep -q _ZN1n out"
fi
finish
