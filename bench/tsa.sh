#!/usr/bin/env bash
# Synchronization pairs at saturation: strategy tsa against random yields and sleeps.
# Each program is run by each strategy until the curve of the metric is flat, tsa until
# nothing is left to target; the goal is at least the coverage of the best of the 15
# baselines in at most half of its time, and at most 5 % wrong estimates in either
# direction.
#   HEDDLE=path/to/heddle bench/tsa.sh [PROGRAM...]     programs of programs/tsa, memcached
# Two tests for a class, as in the paper: a few threads with many operations each, and as NAME-many
# twelve threads with two operations each (the paper's have 15 to 26 with one).
#   bench/tsa.sh table                                  only the table of what is there
# Environment: STRATEGIES, SEEDS (3), LIMIT (60 seconds of processor time a campaign), JOBS (2), MINUTES (by the clock:
# no campaign begins later; the next call goes on), EACH (a number of runs for each campaign instead of saturation, as
# in the paper's first study; 500 there),
# RESULTS (bench/work/tsa.csv, tsa-EACH.csv): what is there already is not run again. Seed by seed, all programs and
# strategies of one before the next: what is there when it is stopped are whole seeds but for the last one.
set -u
export HEDDLE_OPTIONS=--no-race # what is measured are runs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${SEEDS:=3}" "${LIMIT:=60}" "${JOBS:=2}" "${RESULTS:=$HEDDLE_BENCH_WORK/tsa${EACH:+-$EACH}.csv}"
: "${STRATEGIES:=tsa $(for how in yield sleep10 sleep100; do echo $how={10,20,30,40,50}; done)}"
export HEDDLE SEEDS LIMIT RESULTS EACH=${EACH:-}
[ -z "${MINUTES:-}" ] || export UNTIL=${UNTIL:-$(($(date +%s) + 60 * MINUTES))}

. "$here/cpu_limit.bash"
. "$here/real/servers.bash"

# ---- one campaign --------------------------------------------------------------------
campaign() { # campaign PROGRAM STRATEGY SEED: a row of the results
    local command=(-- "$HEDDLE_BENCH_WORK/tsa/${1%-many}") rc row cpu
    [ -z "${UNTIL:-}" ] || [ "$(date +%s)" -lt "$UNTIL" ] || exit 255 # xargs stops
    [ "$1" = "${1%-many}" ] || command+=(12 2)
    local end=${EACH:+--runs $EACH}
    : "${end:=--until saturated}"
    tmp=$(mktemp -d)
    cd "$tmp" || return
    if [ "$1" = memcached ]; then
        memcached_script "$HEDDLE_BENCH_WORK/bin/memcached-tsan" "$HEDDLE_BENCH_WORK/bin/memcached_client" 3 2 >test.toml
        command=(--script test.toml)
    fi
    cpu_limit "$LIMIT" "$HEDDLE" test -q --keep-going --no-minimize --strategy "$2" --seed "$3" \
        --coverage syncpair $end --dir dir --json result.json "${command[@]}" >/dev/null 2>log </dev/null
    rc=$? cpu=$cpu_used
    if [ "$rc" != 124 ] && { [ "$rc" -ne 0 ] || jq -e '.interrupted == true' result.json >/dev/null; }; then
        echo "tsa.sh: $1, $2, seed $3: exit $rc: $(tail -n 1 log)" >&2
    else
        "$HEDDLE" coverage -q --dir dir --list syncpair --json - |
            jq -r '.elements[].sites | map(.site) | join(" ")' | sed "s/^/$1 $2 $3 met /" >>"$RESULTS.pairs"
        [ "$2" != tsa ] || "$HEDDLE" coverage -q --dir dir --metric syncpair --json - |
            jq -r '.uncovered[]?.sites | map(.site) | join(" ")' | sed "s/^/$1 $2 $3 left /" >>"$RESULTS.pairs"
        row=$(jq -r '[(.coverage.metrics[] | select(.name == "syncpair") | .covered, (.possible // "")),
            .runs, .seconds] | join(",")' result.json)
        # the curve: run:seconds:covered of each run that brought a pair
        echo "$1,$2,$3,$row,$cpu,$("$HEDDLE" coverage -q --dir dir --curve --json - |
            jq -r '.campaigns[-1].curve.syncpair | map("\(.run):\(.seconds):\(.covered)") | join(" ")')" >>"$RESULTS"
    fi
    cd / && rm -rf "$tmp"
}

if [ "${1:-}" = --campaign ]; then
    campaign "$2" "$3" "$4"
    exit 0
fi

# ---- all of them ---------------------------------------------------------------------
mkdir -p "$HEDDLE_BENCH_WORK/tsa" "$HEDDLE_BENCH_WORK/bin"
HEDDLE_BENCH_WORK=$(realpath "$HEDDLE_BENCH_WORK")
RESULTS=$(realpath "$RESULTS")
[ -s "$RESULTS" ] || echo "program,strategy,seed,covered,possible,runs,seconds,cpu,curve" >"$RESULTS"
if [ "${1:-}" != table ]; then
    HEDDLE=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
    [ $# -gt 0 ] || set -- {hash_table,list,cache,object_pool,queue,file_tree}{,-many} thread_pool memcached
    programs=()
    for p; do
        if [ "$p" = memcached ]; then
            gcc -O2 -pthread -o "$HEDDLE_BENCH_WORK/bin/memcached_client" "$here/real/memcached_client.c" &&
                { "$here/real/fetch.sh" memcached && "$here/real/build.sh" memcached; } >/dev/null ||
                { echo "tsa.sh: memcached cannot be built, left out" >&2; continue; }
        else
            # Moved into place: campaigns of the same class may be under way. In one folder, whoever calls: names of
            # places in the code begin there, and pairs of several calls are put together.
            (cd "$here" && gcc -g -O2 -pthread -fsanitize=thread -o "$HEDDLE_BENCH_WORK/tsa/new" "programs/tsa/${p%-many}.c") &&
                mv "$HEDDLE_BENCH_WORK/tsa/new" "$HEDDLE_BENCH_WORK/tsa/${p%-many}" ||
                { echo "tsa.sh: $p cannot be built, left out" >&2; continue; }
        fi
        programs+=("$p")
    done
    for ((seed = 1; seed <= SEEDS; seed++)); do
        for p in ${programs[@]+"${programs[@]}"}; do
            for s in $STRATEGIES; do
                grep -q "^$p,$s,$seed," "$RESULTS" || printf '%s\0%s\0%s\0' "$p" "$s" "$seed"
            done
        done
    done | xargs -0 -r -n 3 -P "$JOBS" "$here/tsa.sh" --campaign 2> >(grep -v 'status 255; aborting' >&2)
fi

# Medians over seeds. Time is that of the whole campaign, up to saturation, on the clock
# and of the processor (all processes). "As much": when tsa had covered what the best
# baseline had at its end. The union of what any campaign of a program met stands for the
# truth: what tsa estimates at its end beyond that is wrong, what it does not estimate of
# it is missed.
touch "$RESULTS.pairs"
awk -v pairs="$RESULTS.pairs" -f "$here/tsa.awk" "$RESULTS"
