#!/usr/bin/env bash
# A limit of ours is no finding: runs that it ends are inconclusive (98), others decide.
. "$(dirname "$0")/lib.bash"

# Counts for as long as it is told, under a lock, in two threads.
cat >long.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, times;
static void *add(void *arg)
{
    for (long i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    times = atol(argv[1]);
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter != 2 * times;
}
END
build long -O1
heddle test --seed 1 --runs 5 --strategy pct --steps 1000 --json r.json --junit r.xml --dir steps -- ./long 5000
expect 98 "every run met the limit of steps" "inconclusive: 5 of 5 runs met the limit of steps.*--steps.*every run was ended by a limit"
check "the JSON says so" jq -e '.exit == 98 and .inconclusive and .limits.steps == 5 and .findings == []' r.json
check "JUnit has a skipped test" grep -q '<skipped message="inconclusive' r.xml
check "no finding is saved" test ! -e steps/findings
heddle test --seed 1 --runs 2 --strategy pct --timeout 1s --json r.json --dir time -- ./long 1000000000
expect 98 "every run met the limit of time" "2 of 2 runs met the limit of time.*--timeout"
heddle run --seed 1 --strategy pct --steps 1000 --dir one -- ./long 5000
expect 98 "one run that met it" "1 of 1 run met the limit of steps"
heddle replay one/last.heddle
expect 98 "its replay ends there, too" "ran as recorded"
heddle minimize one/last.heddle
expect 64 "and cannot be minimized" "a limit ended"
heddle test --seed 1 --runs 20 --strategy pct --dir well -- ./long 200000
expect 0 "runs of a million steps come to their end" "20 runs"

# More choices than have lines of their own: at most 8 bytes a switch, and replays. One that
# preempts all the time does so less often in the end.
heddle run --seed 1 --strategy random --timeout 120s --dir many -- ./long 1000000
expect 0 "a run of many choices" "the run was clean"
switches=$(sed -n 's/.* \([0-9]*\) switches.*/\1/p' err | head -n 1)
check "there are many" test "${switches:-0}" -gt 500000
check "... in at most 8 bytes a switch" test "$(stat -c %s many/last.heddle)" -lt $((8 * ${switches:-0}))
check "... but fewer in the end" test "${switches:-0}" -lt 600000
heddle replay --timeout 120s many/last.heddle
expect 0 "its replay" "ran as recorded"

# Some runs are cut, others end: those decide.
cat >some.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int first, n;
static void *set(void *arg) { atomic_store(&first, 1); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    if (atomic_load(&first))
        for (int i = 0; i < 3000; i++)
            atomic_fetch_add(&n, 1);
    pthread_join(t, 0);
    return 0;
}
END
build some -O1
heddle test --seed 1 --runs 20 --strategy random --steps 1000 --json r.json --dir some -- ./some
expect 0 "a limit met by some runs" "inconclusive: [0-9]+ of 20 runs met the limit of steps"
check "they are counted" jq -e '.limits.steps > 0 and .limits.steps < 20' r.json

# A site of a hot loop becomes a scheduling point only after short runs were measured.
cat >late.c <<'END'
#include <pthread.h>
static volatile int hot;
static void *work(void *arg)
{
    for (int i = 0; i < 300000; i++)
        hot++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
build late -O1
heddle test --seed 3 --runs 12 --timeout 60s --json r.json --dir late -- ./late
expect 0 "a hot loop that becomes a point is no hang"
check "and is not cut" jq -e '.limits.steps == 0 and .limits.log == 0' r.json

# Hangs are reported with their proof.
cp "$ROOT/tests/target/buggy/livelock.c" "$ROOT/tests/target/buggy/trylock_spin.c" .
for p in livelock trylock_spin; do
    build $p -O1
    heddle test --seed 2 --no-minimize --strategy random --json r.json --dir $p -- ./$p
    expect 66 "$p is found" "Livelock: 2 threads repeat.*Proven by the program's state"
    check "... and is the same again" jq -e '.findings[0] | .reproduced == .tried' r.json
done
# Waiting for a number of rounds, for time, or for another process is no hang.
cat >waits.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int flag;
static void *rounds(void *arg)
{
    for (int i = 0; i < 50000 && !atomic_load(&flag); i++)
        sched_yield();
    return arg;
}
static void *until(void *arg)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (!atomic_load(&flag) && now.tv_sec - begin.tv_sec < 2);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, rounds, 0);
    pthread_create(&b, 0, until, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
build waits -O1
for s in random pct pos; do
    heddle test --seed 1 --runs 3 --strategy $s --timeout 60s --dir w -- ./waits
    expect 0 "waiting in vain, but not for ever: $s"
done
finish
