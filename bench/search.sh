#!/usr/bin/env bash
# Searches: schedules a second of each, with one and with two workers; what it costs to
# follow a prefix against just running; for a program whose bug needs one of many
# threads at the right moment, how many runs guidance takes as threads become more; and
# the runs to the first finding, over all programs of tests/target/buggy.
#   HEDDLE=path/to/heddle bench/search.sh [rates|prefix|threads|totals]...
# Environment: LIMIT (5 seconds a measurement; totals: a campaign, 60), SEEDS (3), JOBS (2),
# RUNS (5000: of a campaign of totals), METHODS (of totals: hapset dpor pcb=2)
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../build/bin/heddle}" "${SEEDS:=3}" "${JOBS:=2}" "${RUNS:=5000}"
: "${METHODS:=hapset dpor pcb=2}" "${TOTALS_LIMIT:=${LIMIT:-60}}" "${LIMIT:=5}"
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

# dfs changes the end of a schedule first, so its runs follow programs/prefix.c up to there:
# thousands of steps where nothing can be chosen. The runs by chance before a search are
# under the same control and make the same steps with nothing to follow. Processor time
# of all processes; what the search does in the host is part of it.
cpu_per_step() { # cpu_per_step CHANCE: nanoseconds, where so many runs are by chance
    local cpu TIMEFORMAT='%U %S'
    cpu=$({ time campaign --strategy dfs --fresh --learn "$1" --runs 60 -- ./prefix 1; } 2>&1 |
        awk '{ print $1 + $2 }')
    jq "$cpu / .steps * 1e9" r.json
}
prefix() {
    build prefix "$here/programs/prefix.c"
    for _ in 1 2 3 4 5 6 7; do # by turns: the machine is not always as fast
        echo "$(cpu_per_step 0) $(cpu_per_step 60)"
    done | awk '
        function middle(v, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            return v[int((n + 1) / 2)]
        }
        { p[NR] = $1; f[NR] = $2; r[NR] = $1 / $2 }
        END {
            printf "nanoseconds of processor time a step (programs/prefix.c): %.0f in a prefix, %.0f without one; ratio %.2f\n",
                middle(p, NR), middle(f, NR), middle(r, NR)
        }'
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

# A program that is missed counts with the runs spent on it. With the runs by chance that
# come before a search by default, and without: then all runs are the search's own.
totals() {
    local f name learn how seed args options
    mkdir -p bin
    for f in "$here"/../tests/target/buggy/*.c "$here"/../tests/target/buggy/*.cc; do
        name=$(basename "${f%.*}")
        $(sed -n "1,20s/^ \* build: *//p" "$f" | head -n 1) -o "bin/$name" "$f" || exit 2
        read -ra args <<<"$(sed -n "1,20s/^ \* args: *//p" "$f" | head -n 1)"
        read -ra options <<<"$(sed -n "1,20s/^ \* options: *//p" "$f" | head -n 1)"
        for learn in few 0; do
            for how in $METHODS; do
                for ((seed = 1; seed <= SEEDS; seed++)); do
                    campaign --strategy "$how" $([ $learn = few ] || echo --learn 0) --fresh --runs "$RUNS" \
                        --time "${TOTALS_LIMIT}s" ${options[@]+"${options[@]}"} -- \
                        "bin/$name" ${args[@]+"${args[@]}"} || continue
                    jq -r --arg row "$name $learn $how $seed" \
                        '$row + (.findings[0] | if . then " 1 \(.runs_until)" else " 0 " end) +
                         (if .findings[0] then "" else "\(.runs)" end)' r.json
                done
            done
        done
    done | awk -v methods="$METHODS" -v seeds="$SEEDS" '
        { key = $2 SUBSEP $3; runs[key] += $6; if (!$5) missed[key]++; tried[key]++ }
        END {
            n = split(methods, m, " ")
            printf "runs to the first finding, over all programs of tests/target/buggy, a seed (mean of %d);\n" \
                "a program that is missed counts with the runs that were spent on it\n", seeds
            printf "%-26s", "runs by chance before"
            for (i = 1; i <= n; i++) printf " %18s", m[i]
            printf "\n"
            for (l = 0; l < 2; l++) {
                learn = l ? "0" : "few"
                printf "%-26s", l ? "none (--learn 0)" : "a few (default)"
                for (i = 1; i <= n; i++) {
                    key = learn SUBSEP m[i]
                    printf " %18s", sprintf("%.0f (%d of %d missed)", runs[key] / seeds, missed[key], tried[key])
                }
                printf "\n%-26s", "  " m[1] " / other"
                for (i = 1; i <= n; i++)
                    printf " %18.3f", runs[learn SUBSEP m[i]] ? runs[learn SUBSEP m[1]] / runs[learn SUBSEP m[i]] : 0
                printf "\n"
            }
        }'
}

[ $# -gt 0 ] || set -- rates prefix threads totals
for what in "$@"; do
    case $what in
    rates | prefix | threads | totals) "$what" ;;
    *) echo "search.sh: rates, prefix, threads or totals, not '$what'" >&2; exit 64 ;;
    esac
done
