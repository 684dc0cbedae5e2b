#!/usr/bin/env bash
# Searches: schedules a second of each, with one and with two workers; what it costs to
# follow a prefix against just running; and, for a program whose bug needs one of many
# threads at the right moment, how many runs guidance takes as threads become more.
#   HEDDLE=path/to/heddle bench/search.sh [rates|prefix|threads]...
# Environment: LIMIT (5 seconds a measurement), SEEDS (3), JOBS (2)
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../build/bin/heddle}" "${LIMIT:=5}" "${SEEDS:=3}" "${JOBS:=2}"
HEDDLE=$(realpath "$HEDDLE") || exit 2
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'cd /; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2

build() { ${CC:-gcc} -g -O1 -fsanitize=thread -o "$1" "$2" || exit 2; }
# campaign OPTION... -- PROGRAM ARGUMENT...; its result is in r.json
campaign() {
    rm -rf dir
    "$HEDDLE" test -q --no-minimize --coverage none --seed "${seed:-1}" --dir dir --json r.json "$@" \
        >/dev/null 2>log </dev/null
    case $? in 0 | 66) ;; *) tail -n 1 log >&2; return 1 ;; esac
}

rates() {
    build counter "$here/../tests/target/correct/mutex_counter.c"
    echo "schedules a second (tests/target/correct/mutex_counter.c, up to $LIMIT s or 20000 runs)"
    printf '%-14s %10s %10s %8s %8s\n' method "1 worker" "$JOBS workers" runs steps
    for how in random dfs pcb=2 delaybound=2 dpor dpor=2 hapset; do
        printf '%-14s' "$how"
        for jobs in 1 "$JOBS"; do
            campaign -k --strategy "$how" -j "$jobs" --runs 20000 --time "${LIMIT}s" -- ./counter ||
                continue
            printf ' %10.0f' "$(jq '.runs / .seconds' r.json)"
        done
        printf ' %8d %8.0f\n' "$(jq .runs r.json)" "$(jq '.steps / .runs' r.json)"
    done
}

# dfs changes the end of a schedule first, so a run is nearly all prefix; stay has the
# first of these schedules again and again, chosen in the target.
prefix() {
    build counter "$here/../tests/target/correct/mutex_counter.c"
    campaign --strategy dfs --runs 4000 --fresh -- ./counter || return
    searched=$(jq '.seconds / .steps * 1e6' r.json)
    campaign --strategy stay --runs 4000 -- ./counter || return
    batched=$(jq '.seconds / .steps * 1e6' r.json)
    echo "microseconds a step: $(printf '%.2f' "$searched") when nearly all of it is a prefix," \
        "$(printf '%.2f' "$batched") without one"
}

threads() {
    build downloader "$here/programs/downloader.c"
    echo "runs until the bug of programs/downloader.c is found (median of $SEEDS seeds, - = not in $LIMIT s)"
    printf '%-10s' threads
    for how in hapset dpor pcb=2; do printf ' %8s' "$how"; done
    echo
    for n in 3 4 5 6 7 8 9 10; do
        printf '%-10d' "$n"
        for how in hapset dpor pcb=2; do
            for seed in $(seq "$SEEDS"); do
                campaign --strategy "$how" --runs 5000 --time "${LIMIT}s" -- ./downloader "$n" &&
                    jq -r '.findings[0].runs_until // 999999' r.json
            done | sort -n | awk '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]
                printf " %8s", m == 999999 ? "-" : m }'
        done
        echo
    done
}

[ $# -gt 0 ] || set -- rates prefix threads
for what in "$@"; do
    case $what in
    rates | prefix | threads) "$what" ;;
    *) echo "search.sh: rates, prefix or threads, not '$what'" >&2; exit 64 ;;
    esac
done
