#!/usr/bin/env bash
# Runs that go on and on. Before it is known how long runs are, a hang is recognised by those
# that end, not by the limit of steps, which takes seconds; and what is only long is none.
. "$(dirname "$0")/lib.bash"

cp "$ROOT/tests/target/buggy/livelock.c" .
build livelock
steps() { jq -e ".findings[0].steps $1" result.json; }
for seed in 2 3; do # most runs never end
    heddle test -q --no-minimize --seed $seed --coverage none --strategy random --json result.json \
        --dir d$seed -- ./livelock
    expect 66 "a livelock in the first run is found, seed $seed"
    check "by the runs that ended, not by the limit" steps "<= 100000"
    check "and is the same again" jq -e '.findings[0] | .reproduced == .tried and .kind == "livelock"' \
        result.json
done

# Each run takes more steps than the first ones are given to begin with.
cat >long.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int sum;
static void *add(void *arg)
{
    for (int i = 0; i < 60000; i++)
        atomic_fetch_add(&sum, 1);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return sum != 120000;
}
END
build long -O1
heddle test --seed 1 --coverage none --strategy pct --runs 16 --json result.json --dir long -- ./long
expect 0 "a long program is not said to hang"
check "most of its runs come to their end" jq -e '.runs == 16 and .steps > 16 * 100000' result.json
finish
