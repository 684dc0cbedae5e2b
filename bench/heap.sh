#!/usr/bin/env bash
# What it costs to look for wrong uses of heap memory: a campaign with it and one with
# --no-heap, in processor time per run.
#   HEDDLE=path/to/heddle bench/heap.sh [stencil|fft|radix|pbzip2|lbzip2|xz-utils|memcached]...
# Environment: ROUNDS (5: what is compared is measured in turns, the median of the ratios
# is shown), RUNS (10 runs a campaign), BYTES (300000, of the file to be compressed), LIMIT
# (1.3; exit 1 if a ratio is above it), HEDDLE_BENCH_WORK (bench/work).
# Real programs must have been built (make bench-real); else they are skipped. Both
# campaigns have the same seed, yet not the same schedules: freed blocks come back at
# other addresses.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${ROUNDS:=5}" "${RUNS:=10}" "${BYTES:=300000}" "${LIMIT:=1.3}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
. "$here/input.bash"
prose "$BYTES" >input
gcc -O2 -o "$bin/measure" "$here/measure.c" &&
    gcc -O2 -pthread -o "$bin/memcached_client" "$here/real/memcached_client.c" || exit 99
failed=0

row() { printf '  %-10s %10s %10s %8s  %s\n' "$@"; }
middle() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# cost OPTION -- COMMAND...: milliseconds of processor time per run of a campaign
cost() {
    local option=$1; shift 2
    rm -rf .heddle
    "$bin/measure" "$heddle" test -q --keep-going --no-minimize --coverage none --strategy random \
        --seed 1 --runs "$RUNS" --timeout 300s $option -- "$@" 2>log >out
    awk -v n="$RUNS" 'END { if (NF >= 4) print $4 * 1000 / n; else exit 1 }' out ||
        { tail -n 1 log >&2; return 1; }
}

# compare NAME COMMAND...: one row
compare() {
    local name=$1 i with without; shift
    [ -x "$1" ] || { row "$name" - - - "skipped: not built"; return; }
    : >ratios
    for ((i = 0; i < ROUNDS; i++)); do
        without=$(cost --no-heap -- "$@") && with=$(cost "" -- "$@") ||
            { row "$name" - - - failed; failed=1; return; }
        echo "$with $without $(awk -v a="$with" -v b="$without" 'BEGIN { print a / b }')" >>ratios
    done
    local ratio
    ratio=$(cut -d' ' -f3 ratios | middle)
    row "$name" "$(cut -d' ' -f2 ratios | middle | xargs printf %.1f)" \
        "$(cut -d' ' -f1 ratios | middle | xargs printf %.1f)" "$(printf %.2f "$ratio")" \
        "$(awk -v r="$ratio" -v l="$LIMIT" 'BEGIN { print r > l ? "above " l : "" }')"
    awk -v r="$ratio" -v l="$LIMIT" 'BEGIN { exit r > l }' || failed=1
}

kernel() { # kernel NAME ARGS...
    local name=$1; shift
    gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$name-tsan" "$here/programs/$name.c" -lm || exit 99
    compare "$name" "$bin/$name-tsan" "$@"
}

# A client for each server that will appear at the socket; the server ends with it.
memcached() {
    local args=(-A -s "$tmp/socket" -t 4 -U 0)
    [ "$(id -u)" != 0 ] || args+=(-u root)
    (while :; do
        timeout 120 "$bin/memcached_client" "$tmp/socket" 25 4 >/dev/null 2>&1
        rm -f "$tmp/socket"
    done) &
    compare memcached "$bin/memcached-tsan" "${args[@]}"
    kill $! 2>/dev/null
    wait $! 2>/dev/null
}

[ $# -gt 0 ] || set -- stencil fft radix pbzip2 lbzip2 xz-utils memcached
echo "looking at heap memory (processor time per run of $RUNS; median of $ROUNDS rounds)"
row program "without ms" "with ms" ratio ""
for name; do
    case $name in
    stencil) kernel stencil 512 2 ;;
    fft) kernel fft 12 2 ;;
    radix) kernel radix 50000 2 ;;
    pbzip2) compare pbzip2 "$bin/pbzip2-tsan" -c -p4 -b1 input ;;
    lbzip2) compare lbzip2 "$bin/lbzip2-tsan" -c -n4 -1 input ;;
    xz-utils) compare xz-utils "$bin/xz-utils-tsan" -c -T4 -1 --block-size=131072 input ;;
    memcached) memcached ;;
    *) echo "heap.sh: $name is not known" >&2; exit 64 ;;
    esac
done
exit $failed
