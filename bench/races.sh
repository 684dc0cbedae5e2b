#!/usr/bin/env bash
# What looking for races costs beside ThreadSanitizer: `heddle races` on a program, against the same
# binary run as many times under gcc's libtsan as Heddle ran it (all runs counted, those that bring
# races about as well).
#   HEDDLE=path/to/heddle bench/races.sh [stencil|pbzip2]...
# Environment: RUNS (20, of the campaign), ROUNDS (3: both in turns, the median of the ratios is
# shown), STENCIL ("512 4"), BYTES (300000, of the file to be compressed).
# Time: processor seconds of all processes. Memory: the largest resident set of a process: of the
# program under test, against TSan's; and of heddle itself, which holds what was observed; then of all
# processes at a time (what they share counts once: held.h).
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${RUNS:=20}" "${ROUNDS:=3}" "${STENCIL:=512 4}" "${BYTES:=300000}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
. "$here/input.bash"
gcc -O2 -o "$bin/measure" "$here/measure.c" || exit 99

# median: of the numbers on standard input
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }

compare() { # compare NAME COMMAND...
    local name=$1 i n races h t delays; shift
    rm -f times memory
    for ((i = 0; i < ROUNDS; i++)); do
        rm -rf .heddle result.json log
        h=$("$bin/measure" -p "$heddle" races -v --runs "$RUNS" --seed 1 --timeout 300s --json result.json -- "$@" 2>log)
        [ -s result.json ] || { echo "| $name | failed | | | | | | |"; return; }
        delays=$(sed -n 's/^heddle: \([0-9]*\) more runs* with delays.*/\1/p' log)
        n=$(jq ".runs + (.race_runs // 0) + ${delays:-0}" result.json)
        races=$(jq '.findings | length' result.json)
        t=$(TSAN_OPTIONS="exitcode=0" "$bin/measure" -n "$n" setarch -R "$@")
        echo "$h" "$t" | awk '{ print $4 / $10, $4, $10 }' >>times
        echo "$h" "$t" "$(jq .peak_rss_kib result.json)" |
            awk '{ print $12 / $8, $12 / 1024, $8 / 1024, $2 / 1024, $6 / 1024 }' >>memory
    done
    echo "| $name | $n | $races | $(cut -d' ' -f1 times | median | xargs printf '%.2f') | $(cut -d' ' -f1 memory | median | xargs printf '%.2f') | $(tail -n 1 times | awk '{ printf "%.2f s, %.2f s", $2, $3 }'); $(tail -n 1 memory | awk '{ printf "%.0f MiB, %.0f MiB | %.0f MiB | %.0f MiB", $2, $3, $4, $5 }') |"
}

echo "| program | runs | findings | time / TSan | memory / TSan | last round: Heddle, TSan | heddle itself | together |"
echo "|---|---|---|---|---|---|---|---|"
[ $# -gt 0 ] || set -- stencil pbzip2
for what; do
    case $what in
    stencil)
        gcc -g -O2 -pthread -fsanitize=thread -o "$bin/stencil-tsan" "$here/programs/stencil.c" || exit 99
        read -ra args <<<"$STENCIL"
        compare "stencil $STENCIL" "$bin/stencil-tsan" "${args[@]}" ;;
    pbzip2)
        program=$("$here/real/build.sh" pbzip2) || { echo "| pbzip2 | cannot be built here | | | | | | |"; continue; }
        prose "$BYTES" >input
        compare "pbzip2, $BYTES bytes" "$program" -c -k -p2 -b1 input ;;
    *) echo "races.sh: no program $what" >&2; exit 64 ;;
    esac
done
