#!/usr/bin/env bash
# What memory saves: eight inputs in a row, each tested until nothing new is left, once with
# one memory for all and once with a fresh one each. The goal: the eighth takes at most
# 15 % of the time without memory.
#   HEDDLE=path/to/heddle bench/memo.sh [pbzip2|lbzip2|xz-utils|corpus]...
# corpus: does memory lose findings? Each buggy target program is tested up to the run
# before its first finding, then again with other chances and the memory of that.
# Environment: INPUTS (8), LIMIT (600 seconds of processor time a campaign; what it cuts off is shown as "left
# open"), BYTES (200000: the first input; each
# later one is a tenth longer), OPTIONS (of heddle test; "--idioms 1" is the paper's way), FIRST
# (INPUTS: the first input that is also tested without memory; 2: all of them).
set -u
here=$(cd "$(dirname "$0")" && pwd)
heddle=$(realpath "${HEDDLE:-$here/../build/bin/heddle}")
export HEDDLE_BENCH_WORK=${HEDDLE_BENCH_WORK:-$here/work}
: "${INPUTS:=8}" "${LIMIT:=600}" "${BYTES:=200000}" "${FIRST:=$INPUTS}"
mkdir -p "$HEDDLE_BENCH_WORK/bin"
bin=$(cd "$HEDDLE_BENCH_WORK/bin" && pwd)
unset HEDDLE_OPTIONS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM # Heddle ends well when it is interrupted: no figure of a part
cd "$tmp" || exit 99
. "$here/cpu_limit.bash"

# Inputs of different content, length and compressibility, the same each time.
for ((i = 1; i <= INPUTS; i++)); do
    awk -v n=$((BYTES + BYTES / 10 * (i - 1))) -v seed="$i" 'BEGIN {
        srand(seed)
        for (size = 0; size < n; size += length(line) + 1) {
            line = ""
            for (k = 0; k < 12; k++) line = line int(rand() ^ seed * 1000) " "
            print line
        }
    }' | head -c $((BYTES + BYTES / 10 * (i - 1))) >"input$i"
done

campaign() { # campaign DIR COMMAND...: "seconds runs open" of it, seconds of the processor, of all processes
    local dir=$1; shift
    rm -f result.json
    # no --time: a campaign with a budget uses it up, one without ends when it is done;
    # no --seed: given one, a campaign makes no use of the sites learned earlier
    cpu_limit "$LIMIT" "$heddle" test -q --keep-going --no-minimize \
        --timeout 120s --dir "$dir" --json result.json ${OPTIONS:-} -- "$@" >/dev/null 2>log </dev/null
    case $? in 0 | 66 | 124) jq -r --arg s "$cpu_used" '"\($s) \(.runs) \(.drive.open // "-")"' result.json ;;
    *) echo "0 0 -"; echo "memo.sh: $(tail -n 1 log)" >&2 ;;
    esac
}

program() { # program NAME OPTIONS...
    local name=$1 i with runs open without runs2 open2; shift
    rm -rf all
    for ((i = 1; i <= INPUTS; i++)); do
        read -r with runs open <<<"$(campaign all "$bin/$name-tsan" "$@" "input$i")"
        without=- runs2=-
        if [ "$i" = 1 ]; then
            without=$with runs2=$runs # no memory yet
        elif [ "$i" -ge "$FIRST" ]; then
            rm -rf alone
            read -r without runs2 open2 <<<"$(campaign alone "$bin/$name-tsan" "$@" "input$i")"
        fi
        awk -v n="$name" -v i="$i" -v w="$with" -v r="$runs" -v o="$open" -v a="$without" -v b="$runs2" 'BEGIN {
            printf "| %s | %d | %.2f | %s | %s | %s | %s | %s |\n", n, i, w, r, o,
                a == "-" ? a : sprintf("%.2f", a), b, (a > 0 ? sprintf("%.0f %%", 100 * w / a) : "-") }'
    done
}

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
find_in() { # find_in SEED RUNS DIR: exit status of a campaign on ./prog
    rm -f result.json
    cpu_limit 10 "$heddle" test -q --no-minimize --seed "$1" --runs "$2" --dir "$3" --json result.json \
        ${opts[@]+"${opts[@]}"} -- ./prog ${args[@]+"${args[@]}"} >/dev/null 2>log </dev/null
}
corpus() {
    local f n=0 found=0 alone until
    for f in "$here"/../tests/target/buggy/*.c*; do
        $(header "$f" build) -o prog "$f" || continue
        read -ra args <<<"$(header "$f" args)"
        read -ra opts <<<"$(header "$f" options)"
        rm -rf warm cold
        n=$((n + 1))
        find_in 1 5000 cold
        until=$(jq -r '.findings[0].runs_until // 1' result.json)
        rm -rf cold
        find_in 2 5000 cold
        alone=$?
        [ "$until" -le 1 ] || find_in 1 $((until - 1)) warm
        find_in 2 5000 warm
        case $?,$alone in
        66,*) found=$((found + 1)) ;;
        *,66) echo "lost: $(basename "$f"), found without memory in $until runs" ;;
        *) echo "not found with or without memory: $(basename "$f")" ;;
        esac
    done
    echo "corpus: found with memory $found of $n"
}

[ "$*" != corpus ] || { corpus; exit; }
[ $# -gt 0 ] || set -- pbzip2 lbzip2 corpus
echo "processor time to test an input (limit $LIMIT s; the goal for the last one: at most 15 %)"
echo "| program | input | s with memory | runs | left open | s without | runs | ratio |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|"
for what; do
    [ "$what" != corpus ] || { corpus; continue; }
    { "$here/real/fetch.sh" "$what" && "$here/real/build.sh" "$what"; } >/dev/null 2>log ||
        { echo "| $what | cannot be built | | | | | | |"; continue; }
    case $what in
    pbzip2) program pbzip2 -c -p4 -b1 ;;
    lbzip2) program lbzip2 -c -n4 -1 ;;
    xz-utils) program xz-utils -c -T4 -0 --block-size=32768 ;;
    *) echo "memo.sh: not known: $what" >&2; exit 64 ;;
    esac
done
