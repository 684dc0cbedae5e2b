#!/usr/bin/env bash
# Prints the tables of `make bench`: ratios measured in one run on one machine,
# because absolute times on a shared machine prove little.
#   HEDDLE=path/to/heddle bench/run.sh [throughput|hook|kernel|memory|coverage|real]...
# Environment: ROUNDS (5), HEDDLE_BENCH_WORK (bench/work).
set -eu
export HEDDLE_OPTIONS=--no-race # what is measured are runs
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

# Other work on the machine comes and goes, so what is compared is measured in
# turns, ROUNDS times, and each number is the median of the rounds: of the values,
# and of the ratios within a round.
: "${ROUNDS:=5}"
declare -A got # name -> its values, one per round
rounds() { # rounds NAME=COMMAND...: each command prints one number
    local i pair
    got=()
    for ((i = 0; i < ROUNDS; i++)); do
        for pair; do got[${pair%%=*}]+=" $(${pair#*=})"; done
    done
}
middle() { tr ' ' '\n' | grep . | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
value() { echo "${got[$1]}" | middle; }
ratio() { # ratio A B: of the values of two names
    paste <(tr ' ' '\n' <<<"${got[$1]}" | grep .) <(tr ' ' '\n' <<<"${got[$2]}" | grep .) |
        awk '$2 > 0 { print $1 / $2 }' | middle | xargs printf %.2f
}
row() { printf '  %-52s %12s  %s\n' "$1" "$2" "${3:-}"; }
seconds() { "$bin/measure" "$@" | cut -d' ' -f1; }
cpu() { "$bin/measure" "$@" | cut -d' ' -f4; } # of all its processes, both cores
rss() { "$bin/measure" "$@" | cut -d' ' -f2; }

campaign() { # campaign FIELDS OPTIONS...: FIELDS of the JSON result of heddle test
    local fields=$1; shift
    rm -rf .heddle out.json
    "$heddle" test -q --seed 1 --json out.json "$@" >/dev/null 2>log || { cat log >&2; exit 1; }
    jq -r "$fields" out.json
}

spawn_rate() { awk -v s="$(seconds -n 1000 "$bin/tiny")" 'BEGIN { print 1000 / s }'; }
one_worker() { campaign '.runs / .seconds' -j 1 --strategy random --runs 3000 -- "$bin/tiny-tsan"; }
no_coverage() { campaign '.runs / .seconds' -j 1 --strategy random --runs 3000 --coverage none -- "$bin/tiny-tsan"; }
two_workers() { campaign '.runs / .seconds' -j 2 --strategy random --runs 6000 -- "$bin/tiny-tsan"; }
# Milliseconds of processor time per run: what a loaded machine does not change.
spawn_cpu() { cpu -n 1000 "$bin/tiny"; }
run_cpu() { cpu "$heddle" test -q --seed 1 --strategy random --runs 1000 -- "$bin/tiny-tsan"; }

bench_throughput() {
    echo "throughput (tiny program: two threads, one lock)"
    rounds spawn=spawn_rate one=one_worker none=no_coverage two=two_workers spawn_ms=spawn_cpu run_ms=run_cpu
    row "posix_spawn + waitpid, not instrumented" "$(printf %.0f "$(value spawn)")/s"
    row "heddle test -j 1" "$(printf %.0f "$(value one)")/s" "$(ratio one spawn) x spawn (goal 1.5)"
    row "heddle test -j 1 --coverage none" "$(printf %.0f "$(value none)")/s" "$(ratio none spawn) x spawn"
    row "heddle test -j 2" "$(printf %.0f "$(value two)")/s" "$(ratio two one) x -j 1 (goal 1.7)"
    row "processor time of a spawned run" "$(printf %.2f "$(value spawn_ms)") ms"
    row "processor time of a run of heddle test -j 1" "$(printf %.2f "$(value run_ms)") ms" \
        "$(ratio spawn_ms run_ms) x as many for the same time"
}

# Nanoseconds per unit by the slope between two sizes, which start-up does not
# touch: slope UNITS COMMAND... with the word SIZE replaced.
slope() {
    local units=$1 small big; shift
    small=$(seconds "${@/SIZE/10}")
    big=$(seconds "${@/SIZE/40}")
    awk -v a="$small" -v b="$big" -v u="$units" 'BEGIN { printf "%.2f", (b - a) / (30 * u) * 1e9 }'
}
plain_access() { slope 1000000 "$bin/hooks" SIZE; }
heddle_access() { slope 1000000 "$heddle" run -q -- "$bin/hooks-tsan" SIZE; }
tsan_access() { slope 1000000 "$bin/hooks-tsan" SIZE; }
hand_over() { slope 2000 "$heddle" run -q --strategy rr -- "$bin/pingpong-tsan" SIZE; }

bench_hook() {
    echo "hook and hand-over"
    rounds plain=plain_access heddle=heddle_access tsan=tsan_access hand=hand_over
    row "access, not instrumented" "$(value plain) ns"
    row "access under TSan" "$(value tsan) ns"
    row "access under heddle (first run, learning)" "$(value heddle) ns" "$(ratio heddle tsan) x TSan"
    row "hand-over (half a semaphore round trip)" "$(printf %.0f "$(value hand)") ns"
}

cpu_tsan() { TSAN_OPTIONS=report_bugs=0 cpu "$bin/stencil-tsan"; }
cpu_test() {
    local s
    s=$(cpu "$heddle" test -q --seed 1 --timeout 600s --runs 20 -- "$bin/stencil-tsan")
    awk -v s="$s" 'BEGIN { print s / 20 }'
}
stencil_native() { seconds "$bin/stencil"; }
stencil_tsan() { TSAN_OPTIONS=report_bugs=0 seconds "$bin/stencil-tsan"; }
stencil_run() { seconds "$heddle" run -q --timeout 600s -- "$bin/stencil-tsan"; }
stencil_test() { campaign '.seconds / .runs' --strategy pct --timeout 600s --runs 20 -- "$bin/stencil-tsan"; }

bench_kernel() {
    echo "memory-bound kernel (stencil, two threads; heddle uses one core, the others two)"
    rounds native=stencil_native tsan=stencil_tsan run=stencil_run test=stencil_test \
        cpu_tsan=cpu_tsan cpu_test=cpu_test
    row "native" "$(printf %.3f "$(value native)") s"
    row "TSan, same binary" "$(printf %.3f "$(value tsan)") s" "$(ratio tsan native) x native"
    row "heddle run (one learning run)" "$(printf %.3f "$(value run)") s" "$(ratio run tsan) x TSan (goal 1.0)"
    row "heddle test, mean of 20 runs" "$(printf %.3f "$(value test)") s" "$(ratio test tsan) x TSan (goal 1.0)"
    row "processor time: TSan" "$(printf %.3f "$(value cpu_tsan)") s"
    row "processor time: heddle test, mean of 20 runs" "$(printf %.3f "$(value cpu_test)") s" \
        "$(ratio cpu_test cpu_tsan) x TSan"
}

bench_memory() {
    echo "peak memory of the largest process"
    row "tiny, native" "$(rss "$bin/tiny") KiB"
    row "tiny under TSan" "$(rss "$bin/tiny-tsan") KiB"
    row "tiny, 1000 runs of heddle test" "$(rss "$heddle" test -q --runs 1000 --seed 1 -- "$bin/tiny-tsan") KiB"
    row "stencil, native" "$(rss "$bin/stencil") KiB"
    row "stencil under TSan" "$(rss "$bin/stencil-tsan") KiB"
    row "stencil under heddle" "$(rss "$heddle" run -q -- "$bin/stencil-tsan") KiB"
}

bench_coverage() { HEDDLE=$heddle "$here/coverage.sh"; }
bench_real() { HEDDLE=$heddle "$here/real/run.sh"; }

[ $# -gt 0 ] || set -- throughput hook kernel memory coverage
for what in "$@"; do
    "bench_$what"
    echo
done
