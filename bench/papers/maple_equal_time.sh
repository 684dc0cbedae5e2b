#!/usr/bin/env bash
# Maple (OOPSLA 2012), figures 11 and 12: iRoots covered in equal time (SECONDS_EACH, 10, of processor time: other
# programs on the machine do not change it) and by an equal number of runs (RUNS_EACH, 40), by the default, PCT, PCTLarge,
# delays by chance (RandDelay), a plain random walk, a preemption bound of 2 (CHESS without its reduction) and TSA. The
# observer is the same for all; its time counts.
#   maple_equal_time.sh [runs|time] [PROGRAM...]
# PROGRAM: real ones (pbzip2 lbzip2 xz-utils libzstd memcached redis, the default; they are built by bench/real),
# or small: the nine programs of the paper's bugs, classes with locks, a downloader, compressor and scanner.
# Prints a table for each idiom's sum as well, and draws the curves of figure 12 (docs/papers/maple_curves.svg).
. "$(dirname "$0")/lib.bash"
. "$ROOT/bench/cpu_limit.bash"
. "$ROOT/bench/input.bash"
. "$ROOT/bench/real/servers.bash"
: "${SECONDS_EACH:=10}" "${RUNS_EACH:=40}" "${BYTES:=150000}"
: "${WAYS:=default pct=3 pctlarge delay random pcb=2 tsa}"
bin=${HEDDLE_BENCH_WORK:-$ROOT/bench/work}/bin
by=runs
case ${1:-} in runs | time) by=$1; shift ;; esac
[ $# -gt 0 ] || set -- pbzip2 memcached redis xz-utils libzstd lbzip2
cells=$ROOT/bench/work/papers/$name-$by.tsv # row: program; the sums of idioms and the curves are beside it
[ -z "${FRESH:-}" ] || rm -f "$cells" "$cells.idioms" "$cells.curve"
touch "$cells" "$cells.idioms" "$cells.curve"
echo "paper: Maple covers about 15 % more than the second best (PCTLarge), CHESS about 60 % of Maple"

measure() { # measure PROGRAM WAY COMMAND...: one campaign; total, idioms and curve are kept
    local p=$1 how=$2 limit=(cpu_limit "$SECONDS_EACH") runs=10000000 options=(--coverage iroot)
    shift 2
    has "$p" "$how" && return
    [ "$by" = time ] || limit=(cpu_limit 900) runs=$RUNS_EACH
    case $how in default) ;; tsa) options=(--coverage iroot,syncpair --strategy tsa) ;; *) options+=(--strategy "$how") ;; esac
    rm -rf dir r.json
    "${limit[@]}" "$HEDDLE" test -q --keep-going --no-minimize --seed 1 --timeout 120s --dir dir --json r.json \
        "${options[@]}" --runs "$runs" "$@" >/dev/null 2>log </dev/null
    case $? in 124) ;; 0 | 66 | 98) stop_if_interrupted r.json ;; *) echo "$name: $p, $how: $(tail -n 1 log)" >&2; return ;; esac
    "$HEDDLE" coverage -q --dir dir --json - |
        jq -r '.metrics[] | select(.name == "iroot").by_sub | to_entries[] | "\(.key)\t\(.value)"' |
        sed "s/^/$p	$how	/" >>"$cells.idioms"
    "$HEDDLE" coverage -q --dir dir --curve --json - |
        jq -r --argjson part "$(jq --arg cpu "$cpu_used" '($cpu | tonumber) / .seconds' r.json)" \
            '.campaigns[-1].curve.iroot[] | "\(.run)\t\(.seconds * $part)\t\(.covered)"' | sed "s/^/$p	$how	/" >>"$cells.curve"
    printf '%s\t%s\t%s\n' "$p" "runs of $how" "$(jq .runs r.json)" >>"$cells.runs"
    put "$p" "$how" "$(jq -r '.coverage.metrics[] | select(.name == "iroot").covered' r.json)"
}
real() { # real PROGRAM COMMAND...
    local p=$1 how
    shift
    for how in $WAYS; do measure "$p" "$how" "$@"; done
}
built() { # built PACKAGE: with its client, if it has one
    { "$ROOT/bench/real/fetch.sh" "$1" && "$ROOT/bench/real/build.sh" "$1"; } >/dev/null 2>log ||
        { echo "$name: $1 cannot be built, left out: $(tail -n 1 log)" >&2; return 1; }
    [ ! -f "$ROOT/bench/real/$1_client.c" ] || gcc -O2 -pthread -o "$bin/$1_client" "$ROOT/bench/real/$1_client.c"
}
small() {
    local f p
    for f in "$ROOT"/tests/target/buggy/{log_sweep,string_buffer,circular_list,bank,log_miss,compress_shutdown,log_rotate,download_resume,cache_increment}.c \
        "$ROOT"/bench/programs/tsa/*.c "$ROOT"/bench/programs/downloader.c "$papers"/programs/*.c; do
        p=$(basename "$f" .c)
        build "$f" "$p" && real "$p" -- "./$p"
    done
}
prose "$BYTES" >input
for p; do
    [ "$p" = small ] || built "$p" || continue
    case $p in
    small) small ;;
    pbzip2) real pbzip2 -- "$bin/pbzip2-tsan" -c -p4 -b1 input ;;
    lbzip2) real lbzip2 -- "$bin/lbzip2-tsan" -c -n4 -1 input ;;
    xz-utils) real xz-utils -- "$bin/xz-utils-tsan" -c -T4 -1 --block-size=32768 input ;;
    libzstd) prose $((4 * BYTES)) >large && real libzstd -- "$bin/libzstd-tsan" -c -T4 -1 -B524288 large ;;
    memcached) memcached_script "$bin/memcached-tsan" "$bin/memcached_client" 4 3 >mem.toml && real memcached --script mem.toml ;;
    redis) redis_script "$bin/redis-tsan" "$bin/redis_client" plain 3 >redis.toml && real redis --script redis.toml ;;
    *) echo "$name: $p is not known, left out" >&2 ;;
    esac
done

[ -s "$cells" ] || { echo "$name: nothing was measured" >&2; exit 1; }
# By idiom, summed over the programs that every way has; then the default against the best other.
awk -F '\t' 'FNR == NR { n[$1]++; if (!($2 in way)) { way[$2]; ways[++k] = $2 } next }
    { v[$3, $2, $1] = $4; if ($3 > most) most = $3 }
    END {
        for (p in n) if (n[p] == k) { whole[p]; all++ }
        printf "iRoots by idiom, sum of %d programs\n%-8s", all, ""
        for (w = 1; w <= k; w++) printf "  %9s", ways[w]
        printf "  %s\n", "default / best other"
        for (i = 1; i <= most; i++) {
            printf "idiom %-2d", i
            best = own = 0
            for (w = 1; w <= k; w++) {
                s = 0
                for (p in whole) s += v[i, ways[w], p]
                printf "  %9d", s
                if (ways[w] == "default") own = s; else if (s > best) best = s
            }
            printf "  %.2f\n", best ? own / best : 0
        }
    }' "$cells" "$cells.idioms"
awk -F '\t' '{ v[$1, $2] = $3; row[$1]; col[$2] }
END {
    for (c in col) if (c != "default")
        for (r in row) if (v[r, "default"] > 0 && v[r, c] > 0) { s[c] += log(v[r, c] / v[r, "default"]); n[c]++ }
    for (c in n) printf "%s: %.0f %% of the default (geometric mean of %d)\n", c, 100 * exp(s[c] / n[c]), n[c]
}' "$cells" | sort
# Figure 12: covered so far, summed over the programs, at twenty points of the campaign.
whole=$RUNS_EACH
[ "$by" = runs ] || whole=$SECONDS_EACH
awk -F '\t' -v by="$by" -v whole="$whole" 'FNR == NR { n[$1]++; if (!($2 in way)) { way[$2]; ways[++k] = $2 } next }
    n[$1] == k {
        x = by == "runs" ? $3 : $4
        for (i = 20; i >= 1 && whole * i / 20 >= x; i--) if ($5 > at[$1, $2, i]) at[$1, $2, i] = $5
        program[$1]
    }
    END {
        for (i = 1; i <= 20; i++)
            for (w = 1; w <= k; w++) {
                s = 0
                for (p in program) s += at[p, ways[w], i]
                printf "%g\t%s\t%d\n", whole * i / 20, ways[w], s
            }
    }' "$cells" "$cells.curve" >"$tmp/curve"
unit="iRoots so far, sum of the programs, by ${by/time/processor time}"
draw "maple_curves_$by" "Maple, figure 12: iRoots over $by" "$unit" curves "${by/time/seconds}" <"$tmp/curve"
name=${name}_$by
finish "Maple, figure 11: iRoots covered" "iRoots in $whole ${by/time/seconds of processor time}"
