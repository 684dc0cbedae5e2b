#!/bin/bash
# race.sh: the programs about races, as their header comments ask.
#
#   HEDDLE=path/to/heddle tests/target/race.sh [NAME...]
#
# `races: R1-R2 ...`  each pair of labelled lines (/* R1 */) is reported, with the class of the
#                     header (`any`: whichever), and replays. Class `fails`: one order fails, so
#                     that a failure of the kind in `finding` is reported, with these lines in it
# `result: TEXT`      ... and the report says that
# `between: R1-R2-R3` an atomicity violation is reported, with R2 between R1 and R3
# `crossed: R1-R2-R3-R4`  ... of two variables, with R2 and R3 between R1 and R4; of several (`/`) one
# `races: none`       nothing is reported, under any of STRATEGIES
#
# Environment: RUNS (20; a racy program may ask for others: `runs: 100`), STRATEGIES ("default": none is named), REPLAYS (1), JOBS (2), SEED (1),
# EVERY (1: without names, each n-th of the correct programs; tests/long/races.sh runs them all at length).
# One line per program, then "N passed, N failed"; exit 1 if any failed.
set -u
unset HEDDLE_OPTIONS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export INCLUDE=$here/../../include
: "${HEDDLE:=$here/../../build/bin/heddle}" "${RUNS:=20}" "${STRATEGIES:=default}" "${REPLAYS:=1}"
: "${JOBS:=2}" "${SEED:=1}" "${EVERY:=1}"
export HEDDLE RUNS STRATEGIES REPLAYS SEED

header() { sed -n "1,12s/^ \* $2: *//p" "$1" | head -n 1; }
pass() { echo "ok    $label  $*"; }
fail() { echo "FAIL  $label  $*"; }

# line FILE LABEL -> number of the line that carries it
line() { grep -n "/\* $2 \*/" "$1" | head -n 1 | cut -d: -f1; }

# What was found, one line each: class, the two lines (smaller first), replays. Of a failure also the order that decides.
found() {
    jq -r '.findings[] | (select(.race) | [.race.class] + ([.race.accesses[].line] | sort) + [.reproduced, .tried]),
           (select(.decided.proven and (.race.class // "fails") == "fails" and .kind != "race") | ["fails"] +
            ([.decided.first.line, .decided.second.line] | sort) + [.decided.fails, .decided.fails_of]) |
           map(tostring) | join(" ")' "$1"
}

test_correct() {
    local s opts
    for s in $STRATEGIES; do
        opts=(--runs "$RUNS")
        [ "$s" = default ] || opts+=(--strategy "$s")
        "$HEDDLE" races -q --no-memory --seed "$SEED" --dir "$tmp/state" "${opts[@]}" -- "$tmp/prog" \
            >"$tmp/out" 2>"$tmp/err"
        local code=$?
        [ $code = 0 ] || { fail "$s: exit $code: $(grep -h -A2 FINDING "$tmp/out" "$tmp/err" | tr '\n' ' ')"; return; }
    done
    pass none
}

# has_pair A B CLASS: is it among $tmp/found?
has_pair() {
    local low=$1 high=$2 class first second reproduced tried
    [ "$low" -le "$high" ] || { low=$2; high=$1; }
    while read -r class first second reproduced tried; do
        [ "$first $second" = "$low $high" ] || continue
        [ "$3" = any ] || [ "$class" = "$3" ] || { why="it is '$class', not '$3'"; continue; }
        [ "$reproduced" = "$tried" ] && return 0
        why="replayed $reproduced of $tried"
    done <"$tmp/found"
    return 1
}

# has_crossed R1-R2-R3-R4[/...]: is one of them reported?
has_crossed() {
    local four a b c d
    for four in ${1//\// }; do
        IFS=- read -r a b c d <<<"$four"
        jq -e --argjson lines "[$(line "$file" "$a"),$(line "$file" "$b"),$(line "$file" "$c"),$(line "$file" "$d")]" \
            '.findings | any(.kind == "atomicity" and [.race.accesses[].line] == $lines and .reproduced == .tried)' \
            "$tmp/json" >/dev/null && return 0
    done
    return 1
}

test_racy() {
    local class runs pair a b c replay result
    class=$(header "$file" class)
    runs=$(header "$file" runs)
    "$HEDDLE" races -q --seed "$SEED" --runs "${runs:-$RUNS}" --dir "$tmp/state" --json "$tmp/json" -- "$tmp/prog" \
        >"$tmp/out" 2>"$tmp/err"
    local code=$?
    [ $code = 66 ] || { fail "exit $code"; return; }
    found "$tmp/json" >"$tmp/found"
    for pair in $(header "$file" between); do
        IFS=- read -r a b c <<<"$pair"
        jq -e --argjson a "$(line "$file" "$a")" --argjson b "$(line "$file" "$b")" --argjson c "$(line "$file" "$c")" \
            '.findings | any(.kind == "atomicity" and [.race.accesses[].line] == [$a, $b, $c] and .reproduced == .tried)' \
            "$tmp/json" >/dev/null || { fail "$pair: no such violation"; return; }
    done
    for pair in $(header "$file" crossed); do
        has_crossed $pair || { fail "$pair: no such violation"; return; }
    done
    for pair in $(header "$file" races); do
        a=$(line "$file" "${pair%-*}") b=$(line "$file" "${pair#*-}") why="not reported"
        if [ "$class" = fails ]; then
            grep -q "FINDING $(header "$file" finding)-" "$tmp/out" && grep -q "$label:$a" "$tmp/out" &&
                grep -q "$label:$b" "$tmp/out" && continue
            fail "$pair (lines $a, $b): no failure that names them"; return
        fi
        has_pair "$a" "$b" "$class" || { fail "$pair (lines $a, $b): $why; found: $(tr '\n' ';' <"$tmp/found")"; return; }
    done
    result=$(header "$file" result)
    [ -z "$result" ] || tr -s '\n ' '  ' <"$tmp/out" | grep -qF -- "$result" ||
        { fail "the report does not say: $result"; return; }
    for replay in "$tmp"/state/findings/race-*/replay.heddle "$tmp"/state/findings/atomicity-*/replay.heddle; do
        [ -e "$replay" ] || continue
        "$HEDDLE" replay -q --times "$REPLAYS" "$replay" >"$tmp/replay" 2>&1
        code=$?
        [ $code = 66 ] || { fail "replay: exit $code: $(tail -n 1 "$tmp/replay")"; return; }
    done
    pass "$(tr '\n' ';' <"$tmp/found")"
}

test_one() {
    file=$1
    label=$(basename "$file")
    tmp=$(mktemp -d)
    local build
    build=$(header "$file" build)
    if ! $build -I "$INCLUDE" -o "$tmp/prog" "$file" 2>"$tmp/build.log"; then
        fail "does not build: $build"
    elif [ "$(header "$file" races)" = none ]; then
        test_correct
    else
        test_racy
    fi
    rm -rf "$tmp"
}
export -f header pass fail line found test_correct has_pair has_crossed test_racy test_one

files=()
for name in "$@"; do
    files+=("$here/race/${name##*/}")
done
if [ $# = 0 ]; then
    n=0
    for file in "$here"/race/*.c "$here"/race/*.cc; do
        case ${file##*/} in ok_*) n=$((n + 1)); [ $((n % EVERY)) = 0 ] || continue ;; esac
        files+=("$file")
    done
fi
result=$(printf '%s\n' "${files[@]}" | xargs -P "$JOBS" -I{} bash -c 'test_one {}')
echo "$result"
failed=$(grep -c '^FAIL' <<<"$result")
echo "$(grep -c '^ok' <<<"$result") passed, $failed failed"
[ "$failed" = 0 ]
