#!/bin/bash
# minimize.sh: are findings made as small as the headers of buggy/ say?
#
#   HEDDLE=path/to/heddle tests/target/minimize.sh [NAME ...]
#
# For each program: found by the listed strategies within the budget, then
# minimized. One line each: preemptions of the smallest schedule and what the
# header states; lines of the two events that decide ("first -> second", - if no
# order was proven) and the labels A -> B, marked * if the report names no pair that
# the header does (pair.bash). A line is ok if the preemptions are those of the
# header. Then how many pairs were proven and how many are named ones, and "N
# passed, N failed"; exit 1 if fewer than 90 % passed or a pair is not a named one.
#
# Environment: TIME (for each program, 15s), AUTO=1 (no command: what a campaign does
# by itself with its small budget), JOBS (2), SEED (1), KEEP=1 (keep the work folder).
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${SEED:=1}" "${TIME:=15s}" "${AUTO:=}"
export HEDDLE SEED TIME AUTO

. "$here/pair.bash"
. "$here/compile.bash"

row() { printf '%-5s %-20s %5s %5s   %-11s %-11s %s\n' "$@"; }

one() {
    local file=$1 name tmp s status want labels got pair verdict build args opts leave=--no-minimize
    [ -z "$AUTO" ] || leave=
    name=$(basename "$file")
    tmp=$WORK/$name.d
    mkdir -p "$tmp"
    build=$(header "$file" build)
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    want=$(header "$file" preemptions)
    labels="$(line_of "$file" A) -> $(line_of "$file" B)"
    compile "$build" "$tmp/prog" "$file" 2>"$tmp/build.log" ||
        { row FAIL "$name" - "$want" - "$labels" "does not build"; return; }
    for s in $(header "$file" strategy | tr ',' ' '); do
        rm -rf "$tmp/dir"
        "$HEDDLE" test --strategy "$s" --runs "$(header "$file" budget | cut -d' ' -f1)" \
            --seed "$SEED" $leave --dir "$tmp/dir" -q --json "$tmp/small.json" \
            ${opts[@]+"${opts[@]}"} -- "$tmp/prog" ${args[@]+"${args[@]}"} \
            >"$tmp/out" 2>"$tmp/err" </dev/null
        status=$?
        [ $status -eq 0 ] || break
    done
    [ $status -eq 66 ] ||
        { row FAIL "$name" - "$want" - "$labels" "not found: exit $status"; return; }
    if [ -z "$AUTO" ]; then
        "$HEDDLE" minimize --time "$TIME" --json "$tmp/small.json" \
            "$tmp/dir/findings/latest/replay.heddle" >"$tmp/report" 2>"$tmp/said" </dev/null
        status=$?
        [ $status -eq 66 ] ||
            { row FAIL "$name" - "$want" - "$labels" "$(tail -n 1 "$tmp/said")"; return; }
    fi
    got=$(jq -r '.findings[0].minimized.preemptions' "$tmp/small.json")
    pair=$(jq -r '.findings[0].decided |
        if . then "\(.first.line) -> \(.second.line)" else "-" end' "$tmp/small.json")
    verdict=ok
    [ "$got" = "$want" ] || verdict=FAIL
    pair_fits "$file" "$tmp/small.json" || labels="$labels *"
    row $verdict "$name" "$got" "$want" "$pair" "$labels" "$(jq -r '.findings[0].minimized |
        "\(.preemptions_before) before, \(.replays) runs" +
        if .complete then "" else ", out of time" end' "$tmp/small.json")"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi
[ -x "$HEDDLE" ] || { echo "minimize.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
files=()
[ $# -gt 0 ] || set -- '*'
for what; do
    for f in "$here"/buggy/$what.c "$here"/buggy/$what.cc; do [ ! -f "$f" ] || files+=("$f"); done
done
[ ${#files[@]} -gt 0 ] || { echo "minimize.sh: no such program" >&2; exit 64; }
WORK=$(mktemp -d)
export WORK
[ -n "${KEEP:-}" ] && echo "work folder: $WORK" >&2 || trap 'rm -rf "$WORK"' EXIT
row '' program found head. decides 'A -> B' ''
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one | tee "$WORK/summary"
passed=$(grep -c '^ok' "$WORK/summary")
failed=$((${#files[@]} - passed))
named=$(grep -vc ' \*' "$WORK/summary")
echo "$(grep -cE '[0-9] -> [0-9]+ ' "$WORK/summary") of ${#files[@]} orders proven, $named of them between the labelled lines"
echo "$passed passed, $failed failed"
[ $((passed * 10)) -ge $((${#files[@]} * 9)) ] && [ "$named" -eq ${#files[@]} ]
