#!/usr/bin/env bash
# The harness of <heddle/heddle.h>: the wrong examples are found and told by their calls, the
# right ones pass.
. "$(dirname "$0")/lib.bash"
for f in "$ROOT"/examples/harness/*; do
    name=$(basename "$f")
    case $name in *.cc) cc="g++ -std=c++17" ;; *) cc=gcc ;; esac
    $cc -Wall -Wextra -Werror -g -fsanitize=thread -I"$ROOT/include" "$f" -o "${name%.*}" || { echo "cannot build $name"; exit 1; }
done
for name in queue_test account_test lock_test map_test; do
    heddle test --seed 1 --runs 2000 --no-minimize -- "./$name"
    expect 66 "$name" "no order of these [0-9]+ calls gives this"
    check "told by its calls" grep -Eq "thread [12]: [a-z]+\([0-9, ]*\) = " out
done
check "with the nearest order" grep -q "The nearest order gives" out
heddle replay --times 20 .heddle/findings/latest/replay.heddle
expect 66 "a replay makes the same calls" "20 of 20"
for name in counter_test slot_test bounded_test mailbox_test; do
    heddle test --seed 1 --runs 200 -- "./$name"
    expect 0 "$name is correct"
done

# Operations that wait: orders are tried in copies of the process, and one in which a call waits for
# ever is no outcome. Wrong twins are found; what can only wait is not tested and not accused.
twin() { # twin NAME FLAG: built as NAME_FLAG
    case $1 in mailbox*) cc="g++ -std=c++17" ext=cc ;; *) cc=gcc ext=c ;; esac
    $cc -g -fsanitize=thread -I"$ROOT/include" "-D$2" "$ROOT/examples/harness/$1.$ext" -o "$1_$2"
}
twin bounded_test WRONG && twin bounded_test LOST && twin mailbox_test WRONG || exit 1
heddle test --seed 1 --runs 2000 --no-minimize -- ./bounded_test_WRONG
expect 66 "a take that does not look again" "no order of these [0-9]+ calls gives this"
heddle replay --times 20 .heddle/findings/latest/replay.heddle
expect 66 "its replay" "20 of 20"
heddle test --seed 1 --runs 2000 --no-minimize -- ./bounded_test_LOST
expect 66 "a wake-up that is lost" "waits on condition"
heddle test --seed 1 --runs 2000 --no-minimize -- ./mailbox_test_WRONG
expect 66 "a letter that two receive"
cat >only_waits.c <<'C'
#include <heddle/heddle.h>
#include <semaphore.h>
static sem_t s;
static int take(void) { return sem_wait(&s); }
static sem_t *make(void) { return sem_init(&s, 0, 1) ? NULL : &s; }
HEDDLE_OBJECT(sem_t *sem, make(), sem_destroy(sem));
HEDDLE_OP(take, int, (), take());
HEDDLE_LINEARIZABLE();
C
cat >model.c <<'C'
/* The model says that pop waits while there is nothing; the object pops twice at a time. */
#include <heddle/heddle.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int n;
static int *make(void)
{
    n = 0;
    return &n;
}
static int push(void)
{
    pthread_mutex_lock(&lock);
    int now = ++n;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    return now;
}
static int pop(void)
{
    pthread_mutex_lock(&lock);
    while (!n)
        pthread_cond_wait(&more, &lock);
    int left = n - 1;
#ifdef WRONG
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    n = left;
    pthread_mutex_unlock(&lock);
    return left;
}
static long long model(void *state, const char *op, const int *arg)
{
    int *count = state;
    (void)arg;
    if (op[1] == 'u')
        return ++*count;
    return *count ? --*count : HEDDLE_WAITS;
}
HEDDLE_OBJECT(int *object, make(), (void)object);
HEDDLE_OP(push, int, (), push());
HEDDLE_OP(pop, int, (), pop());
HEDDLE_SPEC(model);
C
gcc -g -fsanitize=thread -I"$ROOT/include" only_waits.c -o only_waits && gcc -g -fsanitize=thread -I"$ROOT/include" model.c -o model &&
    gcc -g -fsanitize=thread -DWRONG -I"$ROOT/include" model.c -o model_wrong || exit 1
heddle test --seed 1 --runs 100 -- ./only_waits
check "calls that wait for ever in some order are not accused" test "$rc" != 66
heddle test --seed 1 --runs 300 -- ./model
expect 0 "a model in which calls wait"
heddle test --seed 1 --runs 2000 --no-minimize -- ./model_wrong
expect 66 "... and an object that does not do what it says" "no order of these [0-9]+ calls gives this"

# An order that fails by itself still fails for everybody to see.
cat >breaks.c <<'C'
#include <heddle/heddle.h>
static int n, *made;
static int *make(void) { return made = calloc(1, 4); }
static int use(void) { return ++n > 2 ? *(volatile int *)0 : *made; }
HEDDLE_OBJECT(int *object, make(), free(object));
HEDDLE_OP(use, int, (), use());
HEDDLE_LINEARIZABLE();
C
gcc -g -fsanitize=thread -I"$ROOT/include" breaks.c -o breaks || exit 1
heddle test --seed 1 --runs 10 --no-minimize -- ./breaks
expect 66 "an operation that crashes when called alone" "SIGSEGV"
finish
