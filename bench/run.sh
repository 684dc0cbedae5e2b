#!/usr/bin/env bash
# Prints the tables of `make bench`: ratios measured in one run on one machine,
# because absolute times on a shared machine prove little.
#   HEDDLE=path/to/heddle bench/run.sh [throughput|hook|kernel|memory|real]...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$HEDDLE_BENCH_WORK/bin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

gcc -O2 -o "$bin/measure" "$here/measure.c"
for p in tiny hooks pingpong stencil; do
    gcc -g -O2 -pthread -o "$bin/$p" "$here/programs/$p.c"
    gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$p-tsan" "$here/programs/$p.c"
done

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", b ? a / b : 0 }'; }
seconds() { "$bin/measure" "$@" | cut -d' ' -f1; }
rss() { "$bin/measure" "$@" | cut -d' ' -f2; }
row() { printf '  %-52s %14s  %s\n' "$1" "$2" "${3:-}"; }
# Median of three, so that one disturbed run does not decide.
median() { printf '%s\n' "$@" | sort -g | sed -n 2p; }

rate() { # runs per second of a campaign: rate JOBS RUNS PROGRAM
    rm -rf .heddle
    "$heddle" test -q -j "$1" --strategy random --seed 1 --runs "$2" --json out.json -- "$3" >/dev/null
    jq -r '.runs / .seconds' out.json
}

bench_throughput() {
    echo "throughput (tiny program: two threads, one lock)"
    local spawn one two
    spawn=$(median $(for _ in 1 2 3; do awk -v s="$(seconds -n 1000 "$bin/tiny")" 'BEGIN { print 1000 / s }'; done))
    one=$(median $(for _ in 1 2 3; do rate 1 3000 "$bin/tiny-tsan"; done))
    two=$(median $(for _ in 1 2 3; do rate 2 6000 "$bin/tiny-tsan"; done))
    row "posix_spawn + waitpid, not instrumented" "$(printf %.0f "$spawn")/s"
    row "heddle test -j 1" "$(printf %.0f "$one")/s" "$(ratio "$one" "$spawn") x spawn (goal 1.5)"
    row "heddle test -j 2" "$(printf %.0f "$two")/s" "$(ratio "$two" "$one") x -j 1 (goal 1.7)"
}

# Cost per unit by the slope between two sizes, which start-up does not touch:
# slope UNITS COMMAND... with the word SIZE replaced.
slope() {
    local units=$1 small big; shift
    small=$(median $(for _ in 1 2 3; do seconds "${@/SIZE/10}"; done))
    big=$(median $(for _ in 1 2 3; do seconds "${@/SIZE/40}"; done))
    awk -v a="$small" -v b="$big" -v u="$units" 'BEGIN { printf "%.2f", (b - a) / (30 * u) * 1e9 }'
}

bench_hook() {
    echo "hook and hand-over"
    local plain quiet tsan
    plain=$(slope 1000000 "$bin/hooks" SIZE)
    quiet=$(slope 1000000 "$heddle" run -q -- "$bin/hooks-tsan" SIZE)
    tsan=$(slope 1000000 "$bin/hooks-tsan" SIZE)
    row "access, plain" "$plain ns"
    row "access under heddle (first run, learning)" "$quiet ns"
    row "access under TSan" "$tsan ns"
    row "hand-over (half a semaphore round trip)" \
        "$(awk -v s="$(slope 1000 "$heddle" run -q --strategy rr -- "$bin/pingpong-tsan" SIZE)" 'BEGIN { printf "%.0f", s / 2 }') ns"
}

# Seconds a run takes once the campaign has learned the sites: campaign of many
# runs less a campaign of few, per run.
per_run() {
    rm -rf .heddle
    "$heddle" test -q --strategy pct --seed 1 --timeout 600s --steps 0 --runs "$1" --json out.json -- "${@:2}" >/dev/null
    jq -r '.seconds / .runs' out.json
}

bench_kernel() {
    echo "memory-bound kernel (stencil, two threads)"
    local native tsan one many
    native=$(median $(for _ in 1 2 3; do seconds "$bin/stencil"; done))
    tsan=$(median $(for _ in 1 2 3; do seconds "$bin/stencil-tsan"; done))
    one=$(median $(for _ in 1 2 3; do seconds "$heddle" run -q -- "$bin/stencil-tsan"; done))
    many=$(per_run 40 "$bin/stencil-tsan")
    row "native" "$(printf %.3f "$native") s"
    row "TSan, same binary" "$(printf %.3f "$tsan") s" "$(ratio "$tsan" "$native") x native"
    row "heddle run (one learning run)" "$(printf %.3f "$one") s" "$(ratio "$one" "$tsan") x TSan (goal 1.0)"
    row "heddle test, mean of 40 runs" "$(printf %.3f "$many") s" "$(ratio "$many" "$tsan") x TSan (goal 1.0)"
}

bench_memory() {
    echo "peak memory"
    row "tiny, native" "$(rss "$bin/tiny") KiB"
    row "tiny under TSan" "$(rss "$bin/tiny-tsan") KiB"
    row "heddle and target together at their largest, 1000 runs" \
        "$(rss "$heddle" test -q --runs 1000 --seed 1 -- "$bin/tiny-tsan") KiB"
    row "stencil, native" "$(rss "$bin/stencil") KiB"
    row "stencil under TSan" "$(rss "$bin/stencil-tsan") KiB"
    row "stencil under heddle" "$(rss "$heddle" run -q -- "$bin/stencil-tsan") KiB"
}

bench_real() { "$here/real/run.sh"; }

[ $# -gt 0 ] || set -- throughput hook kernel memory
for what in "$@"; do
    "bench_$what"
    echo
done
