#!/usr/bin/env bash
# filter.sh: does what is left out of the event stream matter? Each target program
# is run once under control; its schedule is then replayed twice, observing only
# the accesses that were learned to matter, and observing every access. Both must
# cover the same: the schedule is the same, so only the filter can differ.
#
#   HEDDLE=path/to/heddle tests/target/filter.sh [buggy|correct|mini|cover|NAME ...]
#
# Metrics over conflicting accesses; not cfp and defuse1, which count what a thread
# does alone. Environment: SEEDS ("1 2"), JOBS (2). One line per program; exit 1 if
# any differs.
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HEDDLE=$(realpath "${HEDDLE:-$here/../../build/bin/heddle}")
: "${SEEDS:=1 2}" "${JOBS:=2}"
export HEDDLE SEEDS
. "$here/compile.bash"

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
elements() { jq -r '.coverage.elements[] | select(.metric != "cfp" and
    (.metric != "defuse" or .sub == 2)) | [.metric, .sub, (.sites | map(.site))] | tostring' "$1" |
    sort; }

one() { # one FILE, in an empty folder
    local args seed name exits n=0
    name=$(basename "$(dirname "$1")")/$(basename "$1")
    case $(header "$1" filter) in skip*) echo "ok    $name: skipped, $(header "$1" filter)"; return ;; esac
    compile "$(header "$1" build)" prog "$1" 2>build.log || { echo "FAIL  $name does not build"; return; }
    read -ra args <<<"$(header "$1" args)"
    for seed in $SEEDS; do
        rm -rf .heddle
        "$HEDDLE" run -q --timeout 60s --coverage none --strategy random --seed "$seed" -- ./prog \
            ${args[@]+"${args[@]}"} </dev/null >log 2>&1
        "$HEDDLE" replay -q --timeout 60s --coverage all --json some.json .heddle/last.heddle >log 2>&1
        exits=$?
        "$HEDDLE" replay -q --timeout 60s --coverage all --no-filter --json all.json .heddle/last.heddle >log 2>&1
        exits="$exits $?"
        case $exits in "0 0" | "66 66") ;; *) echo "FAIL  $name: exit $exits: $(tail -n 1 log)"; return ;; esac
        elements some.json >some
        elements all.json >all
        if ! cmp -s some all; then
            echo "FAIL  $name, seed $seed: $(comm -13 some all | wc -l) lost," \
                "$(comm -23 some all | wc -l) too many, first: $(comm -3 some all | head -n 1)"
            return
        fi
        n=$((n + $(wc -l <all)))
    done
    echo "ok    $name: $n elements"
}

if [ "${1:-}" = --one ]; then
    tmp=$(mktemp -d)
    cd "$tmp" && one "$2"
    cd / && rm -rf "$tmp"
    exit 0
fi

[ $# -gt 0 ] || set -- buggy correct mini cover
files=()
for what; do
    if [ -d "$here/$what" ]; then
        files+=("$here/$what"/*.c*)
    else
        files+=("$here"/*/"$what".c*)
    fi
done
summary=$(mktemp)
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one | tee "$summary"
passed=$(grep -c '^ok' "$summary")
rm -f "$summary"
echo "$passed passed, $((${#files[@]} - passed)) failed"
[ "$passed" -eq ${#files[@]} ]
