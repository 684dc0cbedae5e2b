#!/usr/bin/env bash
# Did Heddle become slower? The programs of the benches under two builds of Heddle.
#   bench/compare.sh OTHER_BUILD [NAME...]    OTHER_BUILD/bin/heddle is the reference
# Environment: HEDDLE (build/bin/heddle), ROUNDS (15), HEDDLE_BENCH_WORK, LIMIT (1.10),
# HEAP_LIMIT (1.3: programs whose runs are short, so that every access is checked).
# Each round runs both builds one after the other, each first in every second round, and
# gives one ratio: processor time of all processes. Of programs that compute it is the user
# time: how long the kernel takes to clear pages depends on the memory others leave, and
# differs by a factor of four from run to run. Shown are the median
# of the ratios and an interval that holds the true median in 95 of 100 cases (order
# statistics, no assumption about the distribution). Other work on the machine widens the
# interval but does not favour a build.
# This build does not look for races (--no-race), which the reference may not know.
# Exit 1 if the whole interval of a program is above LIMIT; `?` marks one that reaches
# above it: more ROUNDS decide.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 64; }
other=$(realpath "$1/bin/heddle")
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
shift
: "${ROUNDS:=15}" "${LIMIT:=1.10}" "${HEAP_LIMIT:=1.3}"
mkdir -p "${HEDDLE_BENCH_WORK:=$here/work}/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

gcc -O2 -o "$bin/measure" "$here/measure.c"
for p in tiny hooks pingpong stencil fft radix strings; do
    gcc -g -O2 -pthread -fsanitize=thread -o "$bin/$p-tsan" "$here/programs/$p.c" -lm
done

# NAME -> options of heddle, program and its arguments. Sizes: half a second and less. In the
# last two every access is checked against the heap.
names="tiny tiny-bare hooks pingpong stencil-run stencil stencil-small fft fft-long radix radix-long
    tiny-all stencil-all fft-default radix-default stencil-short strings"
declare -A does=(
    [tiny]="test --strategy random --runs 1000 -- tiny"
    [tiny-bare]="test --strategy random --coverage none --runs 1000 -- tiny"
    [hooks]="run -- hooks 20"
    [pingpong]="run --strategy rr -- pingpong 10"
    [stencil-run]="run -- stencil"
    [stencil]="test --strategy pct --runs 5 -- stencil 512"
    [stencil-small]="test --strategy random --runs 10 -- stencil 128"
    [fft]="test --profile --runs 3 -- fft 14 2"
    [fft-long]="test --strategy random --runs 20 -- fft 15 2"
    [radix]="test --profile --runs 3 -- radix 100000 2"
    [radix-long]="test --strategy random --runs 20 -- radix 300000 2"
    [tiny-all]="test --strategy random --coverage all --runs 1000 -- tiny"
    [stencil-all]="test --strategy random --coverage all --runs 10 -- stencil 128"
    [fft-default]="test --runs 40 -- fft 14 2"
    [radix-default]="test --runs 40 -- radix 100000 2"
    [stencil-short]="test --strategy random --runs 20 -- stencil 48"
    [strings]="test --strategy random --runs 10 -- strings 15"
)

# seconds HEDDLE NAME: of processor time
seconds() {
    local build=$1 field=5 options program args out
    case $2 in tiny* | pingpong) field=4 ;; esac # user and system
    options=${does[$2]%% -- *}
    read -r program args <<<"${does[$2]##* -- }"
    rm -rf .heddle
    if [ "$build" = "$heddle" ]; then export HEDDLE_OPTIONS=--no-race; else unset HEDDLE_OPTIONS; fi
    out=$("$bin/measure" "$build" $options -q --seed 1 --timeout 600s -- "$bin/$program-tsan" $args)
    case $(cut -d' ' -f3 <<<"$out") in
    0 | 98 | 99) cut -d' ' -f"$field" <<<"$out" ;; # hooks: never two threads at once; 99 in old builds
    *) echo "compare: $2 failed under $build" >&2; exit 1 ;;
    esac
}

# interval: "median low high" of numbers on standard input. The r-th smallest and the r-th
# largest hold the median between them but for a chance of 2 P(Binomial(n, 1/2) < r).
interval() {
    sort -g | awk '{ v[NR] = $1 } END {
        p = 2 ^ -NR; below = 0
        for (r = 0; r < NR / 2 && below + p <= 0.025; r++) { below += p; p *= (NR - r) / (r + 1) }
        m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
        print m, v[r ? r : 1], v[NR + 1 - (r ? r : 1)] }'
}

[ $# -gt 0 ] || set -- $names
printf '  %-14s %10s %10s  %6s  %s\n' program "other s" "this s" ratio "95 % interval"
failed=0
for name; do
    [ -n "${does[$name]:-}" ] || { echo "compare: not known: $name" >&2; exit 64; }
    : >pairs
    for ((i = 0; i < ROUNDS; i++)); do
        if ((i % 2)); then a=$(seconds "$other" $name) && b=$(seconds "$heddle" $name)
        else b=$(seconds "$heddle" $name) && a=$(seconds "$other" $name); fi
        echo "$a $b" >>pairs
    done
    read -r a _ <<<"$(cut -d' ' -f1 pairs | interval)"
    read -r b _ <<<"$(cut -d' ' -f2 pairs | interval)"
    read -r middle low high <<<"$(awk '{ print $2 / $1 }' pairs | interval)"
    case $name in stencil-short | strings) limit=$HEAP_LIMIT ;; *) limit=$LIMIT ;; esac
    awk -v n=$name -v a=$a -v b=$b -v m=$middle -v l=$low -v h=$high -v limit=$limit 'BEGIN {
        printf "  %-14s %10.4f %10.4f  %6.2f  %.2f to %.2f%s\n", n, a, b, m, l, h,
               (l > limit ? "  above " limit : h > limit ? "  ?" : "")
        exit (l > limit) }' || failed=1
done
exit $failed
