#!/usr/bin/env bash
# What needs a thread to be slow: labelled with the delay; up to --max-delay a finding, beyond
# it a remark with a schedule of its own, and exit status 0.
. "$(dirname "$0")/lib.bash"

# publish.c MS: main sleeps, then takes for granted that the worker has published.
cat >publish.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int data, is_ready;
static void *work(void *arg)
{
    atomic_store(&data, 1);
    atomic_store(&is_ready, 1); /* worker's second step */
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    usleep(atoi(argv[1]) * 1000);
    assert(is_ready); /* ordered by the sleep only */
    pthread_join(t, 0);
    return 0;
}
END
build publish -O1

for strategy in random pct pos active; do
    heddle test -q --seed 3 --strategy $strategy --runs 600 --json r.json --dir f.$strategy -- ./publish 100
    expect 66 "100 ms: a finding, $strategy"
    check "it says what it needs" grep -q "It needs T1 to be delayed by [0-9.]* ms" <(tr '\n' ' ' <out)
    check "and where" grep -q "before it begins, so that the sleep of T0 (main) at publish.c:17 ends first" \
        <(tr '\n' ' ' <out)
    check "in JSON, too" jq -e '.findings[0].delay | .ns > 90e6 and .ns <= 100e6 and .thread == 1' r.json
done

# A worker that is held up between two lines.
sed 's/assert(is_ready);/assert(!data || is_ready);/' publish.c >half.c
build half -O1
heddle test -q --seed 3 --strategy random --runs 3000 --json r.json --dir half.d -- ./half 100
expect 66 "between two lines" "to be delayed by [0-9.]+ ms between half.c:9 and half.c:10, so that"
check "JSON has both" jq -e '.findings[0].delay | .from == "half.c:9" and .to == "half.c:10"' r.json

for strategy in random active; do
    heddle test --seed 3 --strategy $strategy --runs 100 --json r.json --dir m.$strategy -- ./publish 1000
    expect 0 "1 s: a remark, $strategy"
    check "is called so" grep -q "^REMARK assert" out
    check "and would fail if" grep -q "It would fail if T1 were delayed by [0-9.]* s" <(tr '\n' ' ' <out)
    check "no finding in JSON" jq -e '.findings == [] and .exit == 0' r.json
    check "but a remark" jq -e '.remarks[0] | .remark and .delay.ns > 900e6 and .kind == "assertion"' r.json
    heddle replay m.$strategy/findings/assert*/replay.heddle --times 5
    expect 66 "it replays" "5 of 5"
done

heddle test -q --seed 3 --strategy random --runs 3000 --max-delay 2s --json r.json --dir g -- ./publish 1000
expect 66 "a second is a finding if --max-delay allows it"
for strategy in random pct active dfs; do
    heddle test --seed 3 --strategy $strategy --runs 100 --early-timeouts 0 --dir h.$strategy -- ./publish 100
    expect 98 "--early-timeouts 0: nobody is slow, $strategy"
    check "and the order is known to be the sleep's" grep -q \
        "ordered only by a sleep at publish.c:17" <(tr '\n' ' ' <err)
done
heddle run --early-timeouts 0 --dir h -- ./publish 100
expect 98 "run tells it as well" "ordered only by a sleep at publish.c:17"

# Profile runs are all that --profile makes.
heddle test --seed 3 --runs 20 -v --dir i -- ./publish 1000
check "runs with long delays come last" grep -q "with delays of any length" err
heddle test --seed 3 --runs 20 -v --profile --dir i2 -- ./publish 1000
check "none with --profile" test 0 = "$(grep -c "with delays of any length" err)"

# A timer is overtaken like a sleep.
cat >timer.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
static atomic_int is_ready;
static void on_alarm(int signo) { assert(atomic_load(&is_ready)); }
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++)
        atomic_fetch_add(&is_ready, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    struct itimerval soon = {{0, 0}, {0, 50000}}, off = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    setitimer(ITIMER_REAL, &off, 0);
    return 0;
}
END
build timer -O1
heddle test -q --seed 1 --strategy random --runs 1000 --json r.json --dir t -- ./timer
expect 66 "a timer comes before a slow thread"
check "with its delay" jq -e '.findings[0].delay.ns > 40e6' r.json
heddle test -q --seed 1 --strategy random --runs 300 --early-timeouts 0 --dir u -- ./timer
expect 98 "never with --early-timeouts 0: main only waits"

# What fails whoever is slow: the schedule that is shown needs no delay, and one that was not made smaller claims none.
cat >always.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int n;
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++)
        atomic_fetch_add(&n, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    usleep(100000);
    atomic_fetch_add(&n, 1);
    pthread_join(t, 0);
    assert(n == 20); /* 21 in every run */
    return 0;
}
END
build always -O1
heddle test -q --seed 1 --strategy random --no-memory --runs 100 --no-minimize --json r.json -- ./always
expect 66 "as it was found" "In this run T1 was delayed by [0-9.]+ ms at always.c:9, so that the sleep of T0 \(main\) at"
check "... with a delay" jq -e '.findings[0].delay.ns > 90e6' r.json
heddle test -q --seed 1 --strategy random --no-memory --runs 100 --json r.json -- ./always
expect 66 "made smaller"
check "... there is none" jq -e '.findings[0].delay == null' r.json

# Loops that nobody sees: the clock moves by the time they took, and replays do the same.
cat >count.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int is_running = 1;
static volatile long n;
__attribute__((no_sanitize("thread"))) static void *count(void *arg)
{
    while (is_running)
        n++;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, count, 0);
    pthread_create(&u, 0, count, 0);
    usleep(100000);
    is_running = 0;
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
END
build count -O1
heddle run --dir c -- ./count
expect 0 "two threads that count without hooks do not hold up a sleeper"
check "the stops are on record" grep -q "^stop " c/last.heddle
heddle replay c/last.heddle --times 3
expect 0 "and are followed" "3 of 3"
finish
