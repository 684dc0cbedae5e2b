#!/usr/bin/env bash
# Programs without a known bug under several strategies: does Heddle cry wolf? Prints a
# row per program with its runs and findings, then the sum; exit 1 if anything was found.
#   HEDDLE=path/to/heddle bench/false_alarms.sh [correct|pbzip2|lbzip2|xz-utils|memcached]...
# Environment: RUNS (1000, over all programs, evenly), STRATEGIES ("random pct pos surw"),
# SEED (1), BYTES (200000, of the file to be compressed), HEDDLE_BENCH_WORK (bench/work).
# `correct` stands for every program of tests/target/correct. Real programs must have been
# built (make bench-real). A finding's report is kept in the folder named at the end.
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${RUNS:=1000}" "${STRATEGIES:=random pct pos surw}" "${SEED:=1}" "${BYTES:=200000}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
cd "$tmp" || exit 99
. "$here/input.bash"
prose "$BYTES" >input
gcc -O2 -pthread -o "$bin/memcached_client" "$here/real/memcached_client.c" || exit 99
read -ra strategies <<<"$STRATEGIES"

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
row() { printf '  %-24s %8s %8s  %s\n' "$@"; }
all_runs=0 all_found=0 failed=0 each=0

# silent NAME OPTIONS... -- COMMAND...: its share of the runs, in turns by strategy
silent() {
    local name=$1 s n runs=0 found=0 said=; shift
    for s in "${strategies[@]}"; do
        n=$(((each + ${#strategies[@]} - 1) / ${#strategies[@]}))
        rm -f result.json
        "$heddle" test -q --keep-going --strategy "$s" --seed "$SEED" --runs "$n" --timeout 300s \
            --dir "$tmp/$name.$s" --json result.json "$@" >"$name.$s.out" 2>"$name.$s.err" </dev/null
        case $? in
        0) rm -rf "$tmp/$name.$s" "$name.$s.out" ;;
        66) said="$s: $(sed -n 2p "$name.$s.out")" ;;
        *) said="$s: $(tail -n 1 "$name.$s.err")" failed=1 ;;
        esac
        runs=$((runs + $(jq -r '.runs // 0' result.json 2>/dev/null || echo 0)))
        found=$((found + $(jq -r '.findings | length' result.json 2>/dev/null || echo 0)))
    done
    row "$name" "$runs" "$found" "$said"
    all_runs=$((all_runs + runs)) all_found=$((all_found + found))
}

correct() { # correct FILE
    local build name opts args
    name=$(basename "$1")
    build=$(header "$1" build)
    read -ra opts <<<"$(header "$1" options)"
    read -ra args <<<"$(header "$1" args)"
    $build -o "$tmp/prog-$name" "$1" 2>log || { row "$name" 0 0 "does not build"; failed=1; return; }
    silent "$name" ${opts[@]+"${opts[@]}"} -- "$tmp/prog-$name" ${args[@]+"${args[@]}"}
}

real() { # real NAME ARGS...
    local name=$1; shift
    if [ ! -x "$bin/$name-tsan" ]; then
        row "$name" 0 0 "not built: make bench-real"
        failed=1
        return
    fi
    silent "$name" -- "$bin/$name-tsan" "$@"
}

# A client for each server that will appear at the socket; the server ends with it.
memcached() {
    local args=(-A -s "$tmp/socket" -t 4 -U 0) client
    [ "$(id -u)" != 0 ] || args+=(-u root)
    (while :; do
        timeout 120 "$bin/memcached_client" "$tmp/socket" 25 4 >/dev/null 2>&1
        rm -f "$tmp/socket"
    done) &
    client=$!
    real memcached "${args[@]}"
    kill $client 2>/dev/null
    wait $client 2>/dev/null
}

[ $# -gt 0 ] || set -- correct pbzip2 lbzip2 xz-utils memcached
files=() what=()
for name; do
    if [ "$name" = correct ]; then
        for f in "$here"/../tests/target/correct/*.c "$here"/../tests/target/correct/*.cc; do files+=("$f"); done
    else
        what+=("$name")
    fi
done
each=$((RUNS / (${#files[@]} + ${#what[@]}) + 1))
echo "false alarms (strategies $STRATEGIES, seed $SEED)"
row program runs findings ""
for f in ${files[@]+"${files[@]}"}; do correct "$f"; done
for name in ${what[@]+"${what[@]}"}; do
    case $name in
    pbzip2) real pbzip2 -c -p4 -b1 input ;;
    lbzip2) real lbzip2 -c -n4 -1 input ;;
    xz-utils) real xz-utils -c -T4 -1 --block-size=131072 input ;;
    memcached) memcached ;;
    *) echo "false_alarms.sh: $name is not known" >&2; exit 64 ;;
    esac
done
row "all" "$all_runs" "$all_found" ""
if [ "$all_found" = 0 ] && [ "$failed" = 0 ]; then
    rm -rf "$tmp"
    exit 0
fi
echo "  what was said is in $tmp"
exit 1
