#!/usr/bin/env bash
# long.sh: the programs of tests/target/long, whose bug lies behind a long warm-up: is it found by
# default within LIMIT seconds, and in at most 3 times the runs that the program needs with a
# short one (-DWARM=20)?
#
#   HEDDLE=path/to/heddle tests/target/long.sh [NAME...]
#
# One line a program: its name, then SHORT/LONG runs of each seed ("-" = not found); then
# "N passed, N failed": a program passes if every seed does. Environment: SEEDS (1), LIMIT (60), FEW
# (0: so many runs are few enough, whatever the short one needs).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${SEEDS:=1}" "${LIMIT:=60}" "${FEW:=0}"
HEDDLE=$(realpath "$HEDDLE")
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
files=()
[ $# -gt 0 ] || set -- "$here"/long/*.c
for f; do
    [ -f "$f" ] || f=$here/long/$f.c
    [ -f "$f" ] || { echo "long.sh: no such program: $f" >&2; exit 64; }
    files+=("$f")
done
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

# is_fine SHORT LONG
is_fine() {
    [[ $2 =~ ^[0-9]+$ ]] || return 1
    [ "$2" -le "$FEW" ] || { [[ $1 =~ ^[0-9]+$ ]] && [ "$2" -le $((3 * $1)) ]; }
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
    line= missed=0
    for ((seed = 1; seed <= SEEDS; seed++)); do
        short=$(runs_until "$tmp/short" "$seed" "$kind") long=$(runs_until "$tmp/long" "$seed" "$kind")
        line+=" $short/$long"
        is_fine "$short" "$long" || missed=$((missed + 1))
        [ "$long" != "?" ] || tail -n 2 "$tmp/err"
    done
    [ $missed -gt 0 ] || passed=$((passed + 1))
    printf '%-20s%s\n' "$(basename "$f" .c)" "$line"
done
echo "$passed passed, $((${#files[@]} - passed)) failed"
[ $passed -eq ${#files[@]} ]
