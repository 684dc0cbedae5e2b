#!/usr/bin/env bash
# long.sh: the programs of tests/target/long, whose bug lies behind a long warm-up: is it found by
# default within LIMIT seconds, and in at most 3 times the runs that the program needs with a
# short one (-DWARM=20)?
#
#   HEDDLE=path/to/heddle tests/target/long.sh [NAME...]
#
# One line a program: its name, then SHORT/LONG runs of each seed ("-" = not found, "?" = otherwise
# than expected), and their sums; then "N passed, N failed". A program passes if it is found with every
# seed, and the sum of the long one's runs is at most 3 times that of the short one's: numbers as small
# as 1 and 4 are not compared seed by seed. Environment: SEEDS (1), SHARD (1/1; 2/6: every
# sixth program, from the second on: the proof in pieces), LIMIT (60), FEW (0: so many runs a
# seed are few enough, whatever the short one needs), DIR (of the programs).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ${SHARD:=1/1} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ && ${BASH_REMATCH[1]} -le ${BASH_REMATCH[2]} ]] ||
    { echo "long.sh: SHARD is K/N, not $SHARD" >&2; exit 64; }
: "${HEDDLE:=$here/../../build/bin/heddle}" "${SEEDS:=1}" "${LIMIT:=60}" "${FEW:=0}" "${DIR:=$here/long}"
HEDDLE=$(realpath "$HEDDLE")
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
files=()
[ $# -gt 0 ] || set -- "$DIR"/*.c
n=0
for f; do
    n=$((n + 1))
    [ $(((n - 1) % ${SHARD#*/})) -eq $((${SHARD%/*} - 1)) ] || continue
    [ -f "$f" ] || f=$DIR/$f.c
    [ -f "$f" ] || { echo "long.sh: no such program: $f" >&2; exit 64; }
    files+=("$f")
done
[ ${#files[@]} -gt 0 ] || { echo "long.sh: SHARD=$SHARD: no program" >&2; exit 64; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# runs_until PROGRAM SEED KIND -> runs until the expected finding, "-" = none, "?" = another one
runs_until() {
    rm -rf "$tmp/dir" "$tmp/result.json"
    "$HEDDLE" test -q --no-minimize --no-race --seed "$2" --time "${LIMIT}s" --dir "$tmp/dir" \
        --json "$tmp/result.json" -- "$1" >/dev/null 2>"$tmp/err" </dev/null
    case $? in
    0 | 98) echo - ;;
    66) jq -r --arg kind "$3" '.findings[0] | if .kind == $kind and .reproduced == .tried
        then .runs_until else "?" end' "$tmp/result.json" ;;
    *) echo "?" ;;
    esac
}

passed=0
for f in "${files[@]}"; do
    for key in cause build expect warm; do
        [ -n "$(header "$f" $key)" ] || { echo "long.sh: $f has no $key" >&2; exit 1; }
    done
    kind=$(header "$f" expect)
    [ "$kind" != assert ] || kind=assertion
    $(header "$f" build) -o "$tmp/long" "$f" && $(header "$f" build) -DWARM=20 -o "$tmp/short" "$f" ||
        exit 99
    line= missed=0 shorts=0 longs=0
    for ((seed = 1; seed <= SEEDS; seed++)); do
        short=$(runs_until "$tmp/short" "$seed" "$kind") long=$(runs_until "$tmp/long" "$seed" "$kind")
        line+=" $short/$long"
        [[ $short$long =~ ^[0-9]+$ ]] && shorts=$((shorts + short)) longs=$((longs + long)) || missed=$((missed + 1))
        [ "$long" != "?" ] || tail -n 2 "$tmp/err"
    done
    [ $longs -le $((3 * shorts)) ] || [ $longs -le $((FEW * SEEDS)) ] || missed=$((missed + 1))
    [ $missed -gt 0 ] || passed=$((passed + 1))
    printf '%-20s%s  %s/%s\n' "$(basename "$f" .c)" "$line" $shorts $longs
done
echo "$passed passed, $((${#files[@]} - passed)) failed"
[ $passed -eq ${#files[@]} ]
