#!/usr/bin/env bash
# deep.sh: the programs of tests/target/deep, which strategies of chance practically never fail,
# by default: found within RUNS runs and LIMIT seconds, by each seed?
#
#   HEDDLE=path/to/heddle tests/target/deep.sh [--least N] [NAME...]
#
# Programs in deep/tune may be tuned on, those in deep/report are for reports, those in deep/blind
# and deep/blind2 were written before any tuning and are looked at last.
# One line a program with the runs of each seed ("-" = not found), then "N passed, N failed": a
# program passes if every seed finds it. Fails if less than N of them pass (all).
# Environment: SEEDS (1), SHARD (1/1; 2/7: every seventh program, from the second on: the proof in pieces),
# RUNS (2000), LIMIT (60), OPTIONS (of heddle test: --no-corpus).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ${SHARD:=1/1} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ && ${BASH_REMATCH[1]} -le ${BASH_REMATCH[2]} ]] ||
    { echo "deep.sh: SHARD is K/N, not $SHARD" >&2; exit 64; }
: "${HEDDLE:=$here/../../build/bin/heddle}" "${SEEDS:=1}" "${RUNS:=2000}" "${LIMIT:=60}" "${OPTIONS:=}"
HEDDLE=$(realpath "$HEDDLE")
least=
[ "${1:-}" != --least ] || { least=$2; shift 2; }
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
files=()
[ $# -gt 0 ] || set -- "$here"/deep/{tune,report,blind,blind2}/*.c
n=0
for f; do
    n=$((n + 1))
    [ $(((n - 1) % ${SHARD#*/})) -eq $((${SHARD%/*} - 1)) ] || continue
    [ -f "$f" ] || f=$(ls "$here"/deep/*/"$f".c 2>/dev/null)
    [ -f "$f" ] || { echo "deep.sh: no such program" >&2; exit 64; }
    files+=("$f")
done
[ ${#files[@]} -gt 0 ] || { echo "deep.sh: SHARD=$SHARD: no program" >&2; exit 64; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# runs_until SEED -> runs until the expected finding, "-" = none
runs_until() {
    rm -rf "$tmp/dir" "$tmp/result.json"
    # shellcheck disable=SC2086
    "$HEDDLE" test -q --no-minimize --seed "$1" --runs "$RUNS" --time "${LIMIT}s" --dir "$tmp/dir" \
        --json "$tmp/result.json" $OPTIONS -- "$tmp/prog" >/dev/null 2>"$tmp/err" </dev/null
    case $? in
    0) echo - ;;
    66) jq -r '.findings[0] | if .kind == "assertion" and .reproduced == .tried then .runs_until else "?" end' \
        "$tmp/result.json" ;;
    *) echo "?" ;;
    esac
}

passed=0
for f in "${files[@]}"; do
    for key in cause build expect random shape; do
        [ -n "$(header "$f" $key)" ] || { echo "deep.sh: $f has no $key" >&2; exit 1; }
    done
    $(header "$f" build) -o "$tmp/prog" "$f" || exit 99
    line= missed=0
    for ((seed = 1; seed <= SEEDS; seed++)); do
        n=$(runs_until "$seed")
        line+=" $n"
        [[ $n =~ ^[0-9]+$ ]] || missed=$((missed + 1))
        [ "$n" != "?" ] || tail -n 2 "$tmp/err"
    done
    [ $missed -gt 0 ] || passed=$((passed + 1))
    printf '%-6s %-20s%s\n' "$(basename "$(dirname "$f")")" "$(basename "$f" .c)" "$line"
done
echo "$passed passed, $((${#files[@]} - passed)) failed"
[ $passed -ge "${least:-${#files[@]}}" ]
