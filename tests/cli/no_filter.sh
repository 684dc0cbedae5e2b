#!/usr/bin/env bash
# What is left out on the way from the target to the coverage must not change it: the
# filter in the target (--no-filter), runs that went as one before, and how many runs
# the host is behind.
. "$(dirname "$0")/lib.bash"

check "every access observed or only those that matter: the same coverage" \
    env JOBS=2 SEEDS="1 2" "$ROOT/tests/target/filter.sh" mini correct
sed 's/^/# /' check.log | tail -n 1

# Few schedules, so most runs repeat one, and enough of them to come again in turns.
cat >few.c <<'END'
#include <pthread.h>
static int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    x++;
    pthread_mutex_lock(&lock);
    y += x;
    pthread_mutex_unlock(&lock);
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
build few

# campaign DIR ARGS...: all that it covered and in how many runs, one a line; its curve
campaign() {
    local dir=$1
    shift
    rm -rf "$dir"
    "$HEDDLE" test -q --strategy surw --runs 300 --seed 7 --coverage all --dir "$dir" "$@" -- ./few >/dev/null 2>&1 ||
        { echo "status $?"; return; }
    for m in iroot pset hapset syncpair map cfp race defuse; do
        "$HEDDLE" coverage -q --dir "$dir" --list "$m" --json - |
            jq -c '.elements[] | [.metric, .sub, (.sites | map(.site)), .runs]'
    done | sort
    "$HEDDLE" coverage -q --dir "$dir" --curve --json - |
        jq -c '.campaigns[0].curve | map_values(map([.run, .covered]))'
}
first=$(campaign single --check true) # runs are given one by one
check "a campaign covers something" test "$(wc -l <<<"$first")" -gt 20
same=0
for i in $(seq 20); do
    now=$(campaign "batch$i")
    if [ "$now" = "$first" ]; then
        same=$((same + 1))
    else
        diff <(echo "$first") <(echo "$now") | sed 's/^/# /' | head -n 5
    fi
done
check "in batches, the same coverage as one by one: $same of 20" test $same = 20

# Loops over much memory, most of it one thread's own: that is left out, and runs whose
# events fill the ring by halves go on.
gcc -g -O1 -fsanitize=thread -o halo "$ROOT/tests/target/correct/halo.c"
heddle test --strategy random --seed 1 --runs 40 --coverage all --json r.json -- ./halo
expect 0 "a loop over much memory is observed to its end"
check "and what one thread has to itself is left out" jq -e '.coverage.events / .runs < 40000' r.json
finish
