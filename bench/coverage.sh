#!/usr/bin/env bash
# What coverage costs: the same campaign with coverage off, with iRoot idiom 1 alone, and
# with all metrics; ratios within one round, the median of ROUNDS.
#   HEDDLE=path/to/heddle bench/coverage.sh [stencil|tiny|pbzip2|memcached]...
# Environment: ROUNDS (3), RUNS (10), HEDDLE_BENCH_WORK (bench/work). Real programs are
# measured where bench/real has built them.
#
#   time      real time of a run, x off; memcached: of its client's requests
#   cpu       processor time of target and host together, x off
#   host ns   processor time of the observers per event
#   target ns what an event costs on the other side: all that was added but that
#   bytes     of the host's set of elements, per element
#   store     share of the real time
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${ROUNDS:=3}" "${RUNS:=10}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99

gcc -O2 -o "$bin/measure" "$here/measure.c" || exit 99
for p in stencil tiny; do
    gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$p-tsan" "$here/programs/$p.c" || exit 99
done

# one COVERAGE COMMAND...: a line "seconds cpu events observe store bytes elements campaign",
# the last being the seconds of the whole campaign
one() {
    local coverage=$1 cpu; shift
    rm -rf .heddle out.json
    cpu=$("$bin/measure" "$heddle" test -q --strategy random --seed 1 --runs "$RUNS" --timeout 120s \
        --coverage "$coverage" --json out.json -- "$@" 2>log | cut -d' ' -f4)
    jq -r --arg cpu "$cpu" '(.coverage // {}) as $c | [.seconds, $cpu, $c.events // 0,
        $c.observe_seconds // 0, $c.store_seconds // 0, $c.bytes // 0,
        ([$c.metrics[]?.covered] | add // 0), .seconds] | map(tostring) | join(" ")' out.json
}

# The same for a server: one client after the other, each waits for the next run.
served() {
    local coverage=$1 i line
    rm -f socket times
    for ((i = 0; i < RUNS; i++)); do
        timeout 120 "$bin/memcached_client" "$tmp/socket" 25 4 2>/dev/null >>times
        rm -f socket
    done &
    line=$(one "$@")
    kill $! 2>/dev/null
    wait
    awk -v rest="${line#* }" '{ sum += $1 } END { print sum, rest }' times
}

# measure NAME HOW COMMAND...: three rows
measure() {
    local name=$1 how=$2 i what; shift 2
    for ((i = 0; i < ROUNDS; i++)); do
        for what in none iroot1 all; do "$how" "$what" "$@"; done | tr '\n' ' '
        echo
    done >rounds
    awk -v name="$name" -v runs="$RUNS" '
        function middle(v, n,    i, k, t) {
            for (i = 2; i <= n; i++)
                for (k = i; k > 1 && v[k] < v[k - 1]; k--) { t = v[k]; v[k] = v[k - 1]; v[k - 1] = t }
            return v[int((n + 1) / 2)]
        }
        { for (i = 1; i <= 24; i++) x[NR, i] = $i }
        END {
            split("off iroot1 all", label, " ")
            for (w = 0; w < 3; w++) {
                for (r = 1; r <= NR; r++) {
                    b = 8 * w
                    s[r] = x[r, b + 1] / runs
                    st[r] = x[r, b + 1] / x[r, 1]
                    cp[r] = x[r, b + 2] / x[r, 2]
                    e = x[r, b + 3]
                    h[r] = e ? x[r, b + 4] / e * 1e9 : 0
                    g[r] = e ? (x[r, b + 2] - x[r, 2] - x[r, b + 4] - x[r, b + 5]) / e * 1e9 : 0
                    part[r] = x[r, b + 8] ? 100 * x[r, b + 5] / x[r, b + 8] : 0
                }
                printf "  %-10s %-7s %9.4f s", w ? "" : name, label[w + 1], middle(s, NR)
                if (w) {
                    printf " %6.2f x %6.2f x %10d", middle(st, NR), middle(cp, NR), e / runs
                    printf " %8.0f %9.0f %7.0f", middle(h, NR), middle(g, NR), x[1, b + 7] ? x[1, b + 6] / x[1, b + 7] : 0
                    printf " %5.1f %%", middle(part, NR)
                }
                print ""
            }
        }' rounds
}

bench_stencil() { measure stencil one "$bin/stencil-tsan" 256 4; }
bench_tiny() { RUNS=500 measure tiny one "$bin/tiny-tsan"; }
bench_pbzip2() {
    [ -x "$bin/pbzip2-tsan" ] || { echo "  pbzip2     not built (make bench-real)"; return; }
    seq 1 150000 | head -c 1000000 >input
    measure pbzip2 one "$bin/pbzip2-tsan" -k -c -p4 -b1 input
}
bench_memcached() {
    local args=(-A -s "$tmp/socket" -t 4 -U 0)
    [ -x "$bin/memcached-tsan" ] && [ -x "$bin/memcached_client" ] ||
        { echo "  memcached  not built (make bench-real)"; return; }
    [ "$(id -u)" != 0 ] || args+=(-u root)
    measure memcached served "$bin/memcached-tsan" "${args[@]}"
}

[ $# -gt 0 ] || set -- stencil tiny pbzip2 memcached
echo "coverage (goals: all <= 3 x on the stencil, <= 1.5 x on pbzip2 and memcached, < 200 bytes, store < 5 %)"
printf '  %-10s %-7s %11s %8s %8s %10s %8s %9s %7s %7s\n' program metrics "time/run" time cpu \
    events/run "host ns" "target ns" bytes store
for what; do "bench_$what"; done
