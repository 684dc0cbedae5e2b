#!/usr/bin/env bash
# run.sh: the programs of this folder, each by itself without instrumentation
# and under Heddle by several strategies. Every one must exit 0, be controlled
# (unless its first comment names what is not: "Not controlled: CALL."), and follow
# its own schedule again.
#   HEDDLE=path/to/heddle tests/api/run.sh [PATTERN...]     e.g. 'io_*' cond
# Environment: RUNS (40), SEED (1), STRATEGIES ("random pct pos"), JOBS (2).
# A program without a second thread makes `heddle test` end with 98 and the word
# "nothing"; that is fine here: its calls were checked all the same.
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${RUNS:=40}" "${SEED:=1}" "${JOBS:=2}"
: "${STRATEGIES:=random pct pos}"
export HEDDLE RUNS SEED STRATEGIES

compile() { # compile FILE OUT FLAGS...
    local file=$1 out=$2
    shift 2
    case $file in
    *.cc) g++ -std=c++20 -g -O1 -pthread "$@" -o "$out" "$file" ;;
    *) gcc -g -O1 -pthread "$@" -o "$out" "$file" ;;
    esac
}

one() {
    local file=$1 name dir strategy status want call
    name=$(basename "$file")
    dir=$WORK/$name
    mkdir -p "$dir" && cd "$dir" || return
    { compile "$file" plain && compile "$file" prog -fsanitize=thread; } >log 2>&1 ||
        { echo "FAIL  $name does not build: $(head -n 1 log)"; return; }
    timeout 60 ./plain >log 2>&1 ||
        { echo "FAIL  $name by itself: exit $?: $(tail -n 1 log)"; return; }
    for strategy in $STRATEGIES; do
        timeout 120 "$HEDDLE" test -q --strategy "$strategy" --runs "$RUNS" --seed "$SEED" -- \
            ./prog >log 2>&1 </dev/null
        status=$?
        [ $status -ne 98 ] || ! grep -q nothing log || status=0
        [ $status -eq 0 ] || {
            echo "FAIL  $name by $strategy, seed $SEED: exit $status"
            sed 's/^/    /' log | head -n 20
            return
        }
    done
    want=$(sed -n 's/.*Not controlled: \([^.]*\)\..*/\1/p' "$file")
    for strategy in $STRATEGIES; do
        timeout 60 "$HEDDLE" run -q --strategy "$strategy" --seed "$SEED" --json run.json -- \
            ./prog >log 2>&1 </dev/null || grep -q nothing log ||
            { echo "FAIL  $name, one run by $strategy: $(tail -n 1 log)"; return; }
        call=$(sed -n 's/.*"uncontrolled_call": *"\([^"]*\)".*/\1/p' run.json | head -n 1)
        [ "$call" = "$want" ] ||
            { echo "FAIL  $name by $strategy: not controlled: '$call' instead of '$want'"; return; }
        [ -n "$call" ] || timeout 60 "$HEDDLE" replay -q --times 2 .heddle/last.heddle >log 2>&1 </dev/null ||
            { echo "FAIL  $name by $strategy does not replay: $(tail -n 1 log)"; return; }
    done
    echo "ok    $name"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi
[ -x "$HEDDLE" ] || { echo "run.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
HEDDLE=$(realpath "$HEDDLE")
[ $# -gt 0 ] || set -- '*'
files=()
for what; do
    n=${#files[@]}
    for f in "$here"/$what.c "$here"/$what.cc; do [ ! -f "$f" ] || files+=("$f"); done
    [ ${#files[@]} -gt "$n" ] || { echo "run.sh: no program '$what'" >&2; exit 64; }
done
WORK=$(mktemp -d)
export WORK
trap 'rm -rf "$WORK"' EXIT
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one | tee "$WORK/summary"
passed=$(grep -c '^ok' "$WORK/summary")
failed=$((${#files[@]} - passed))
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
