#!/usr/bin/env bash
# Synchronization pairs at saturation: strategy tsa against random yields and sleeps.
# Each program is run by each strategy until the curve of the metric is flat; the goal is
# at least the coverage of the best of the 15 baselines in at most half of its time, and
# at most 5 % wrong estimates in either direction.
#   HEDDLE=path/to/heddle bench/tsa.sh [PROGRAM...]     programs of programs/tsa, memcached
#   bench/tsa.sh table                                  only the table of what is there
# Environment: STRATEGIES, SEEDS (3), LIMIT (60 seconds a campaign), JOBS (2),
# RESULTS (bench/work/tsa.csv): what is there already is not run again.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${SEEDS:=3}" "${LIMIT:=60}" "${JOBS:=2}" "${RESULTS:=$HEDDLE_BENCH_WORK/tsa.csv}"
: "${STRATEGIES:=tsa $(for how in yield sleep10 sleep100; do echo $how={10,20,30,40,50}; done)}"
export HEDDLE SEEDS LIMIT RESULTS
unset HEDDLE_OPTIONS

# ---- one campaign --------------------------------------------------------------------
# A client for each server that appears at the socket, until the campaign is over.
clients() {
    local client=
    trap 'kill $client; exit' TERM
    while :; do
        timeout 60 "$HEDDLE_BENCH_WORK/bin/memcached_client" "$tmp/socket" 10 4 &
        client=$!
        wait $client
        rm -f "$tmp/socket"
    done >/dev/null 2>&1
}

campaign() { # campaign PROGRAM STRATEGY SEED: a row of the results
    local command=("$HEDDLE_BENCH_WORK/tsa/$1") feeder= rc row
    tmp=$(mktemp -d)
    cd "$tmp" || return
    if [ "$1" = memcached ]; then
        command=("$HEDDLE_BENCH_WORK/bin/memcached-tsan" -A -s "$tmp/socket" -t 4 -U 0)
        [ "$(id -u)" != 0 ] || command+=(-u root)
        clients &
        feeder=$!
    fi
    "$HEDDLE" test -q --keep-going --no-minimize --strategy "$2" --seed "$3" --coverage syncpair \
        --until saturated --time "${LIMIT}s" --dir dir --json result.json -- "${command[@]}" \
        >/dev/null 2>log </dev/null
    rc=$?
    [ -z "$feeder" ] || { kill "$feeder" && wait "$feeder"; } 2>/dev/null
    if [ $rc -ne 0 ]; then
        echo "tsa.sh: $1, $2, seed $3: exit $rc: $(tail -n 1 log)" >&2
    else
        "$HEDDLE" coverage -q --dir dir --list syncpair --json - |
            jq -r '.elements[].sites | map(.site) | join(" ")' | sed "s/^/$1 /" >>"$RESULTS.pairs"
        row=$(jq -r '[(.coverage.metrics[] | select(.name == "syncpair") | .covered, (.possible // "")),
            .runs, .seconds] | join(",")' result.json)
        # when the last pair came: later runs only showed that no more would come
        row+=,$("$HEDDLE" coverage -q --dir dir --curve --json - |
            jq -r '.campaigns[-1].curve.syncpair[-1] | "\(.run),\(.seconds)"')
        echo "$1,$2,$3,$row" >>"$RESULTS"
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
[ -s "$RESULTS" ] || echo "program,strategy,seed,covered,possible,runs,seconds,last_run,last_seconds" >"$RESULTS"
if [ "${1:-}" != table ]; then
    HEDDLE=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
    [ $# -gt 0 ] || set -- hash_table list cache object_pool queue file_tree thread_pool memcached
    for p; do
        if [ "$p" = memcached ]; then
            gcc -O2 -pthread -o "$HEDDLE_BENCH_WORK/bin/memcached_client" "$here/real/memcached_client.c" || exit 99
            { "$here/real/fetch.sh" memcached && "$here/real/build.sh" memcached; } >/dev/null ||
                { echo "tsa.sh: memcached cannot be built" >&2; exit 99; }
        else
            gcc -g -O2 -pthread -fsanitize=thread -o "$HEDDLE_BENCH_WORK/tsa/$p" "$here/programs/tsa/$p.c" || exit 99
        fi
        for s in $STRATEGIES; do
            for ((seed = 1; seed <= SEEDS; seed++)); do
                grep -q "^$p,$s,$seed," "$RESULTS" || printf '%s\0%s\0%s\0' "$p" "$s" "$seed"
            done
        done
    done | xargs -0 -r -n 3 -P "$JOBS" "$here/tsa.sh" --campaign
fi

# Medians over seeds. Time is that of the last new pair, since the window that shows
# saturation is the same for all. The union of what any campaign of a program met stands
# for the truth: more estimates than that are false positives, fewer false negatives (of
# both at least so many: only the numbers are compared).
touch "$RESULTS.pairs"
awk -v pairs="$RESULTS.pairs" '
function middle(list,    n, v, i, j, t) {
    n = split(list, v, " ")
    for (i = 2; i <= n; i++) {
        t = v[i] + 0
        for (j = i - 1; j >= 1 && v[j] + 0 > t; j--) v[j + 1] = v[j]
        v[j + 1] = t
    }
    return v[int((n + 1) / 2)] + 0
}
function percent(a, b) { return (b > 0 && a > 0) ? sprintf("%.0f %%", 100 * a / b) : "0" }
BEGIN {
    FS = ","
    while ((getline line < pairs) > 0)
        if (!(line in met)) { met[line] = 1; split(line, f, " "); n_met[f[1]]++ }
}
FNR == 1 || NF < 9 { next }
{
    if (!($1 in seen)) { seen[$1] = 1; program[++n] = $1 }
    strategy[$2] = 1
    key = $1 SUBSEP $2
    covered[key] = covered[key] " " $4
    possible[key] = possible[key] " " $5
    runs[key] = runs[key] " " $6
    last_run[key] = last_run[key] " " $8
    last[key] = last[key] " " $9
}
END {
    print "| program | met by anyone | estimated | too many | too few | tsa | last pair: run | s |" \
        " best baseline | covered | last pair: run | s | s of tsa / s of best |"
    print "|---|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|"
    for (k = 1; k <= n; k++) {
        p = program[k]
        best = ""
        most = least = 0
        for (s in strategy) {
            key = p SUBSEP s
            if (s == "tsa" || !(key in covered)) continue
            c = middle(covered[key]); t = middle(last[key])
            if (best == "" || c > most || (c == most && t < least)) { best = s; most = c; least = t }
        }
        key = p SUBSEP "tsa"
        if (!(key in covered) || best == "") continue
        c = middle(covered[key]); t = middle(last[key]); e = middle(possible[key])
        printf "| %s | %d | %d | %s | %s | %d | %d | %.2f | %s | %d | %d | %.2f | %.2f |\n", p, n_met[p], e,
            percent(e - n_met[p], n_met[p]), percent(n_met[p] - e, n_met[p]), c, middle(last_run[key]), t,
            best, most, middle(last_run[p SUBSEP best]), least, (least > 0 ? t / least : 0)
        judged++
        good += c >= most && t <= least / 2
        as_much += c >= most
    }
    if (judged) printf "\ntsa covers at least as much as the best baseline on %d of %d programs, " \
        "on %d of them in at most half of the time\n",
        as_much, judged, good
}' "$RESULTS"
