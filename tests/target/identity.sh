#!/bin/bash
# identity.sh: does each cause have one id of its own?
#
#   HEDDLE=path/to/heddle tests/target/identity.sh [NAME ...]
#
# Each program of identity/ has two bugs. For each of SEEDS, and once more after an edit
# that moves lines, `heddle test --keep-going` must find exactly the same two ids; no
# id may be shared between programs. A program with `bugs: N` in its header has N, which
# show in several ways. A line for each program that is wrong, then
# "N passed, N failed".
#
# Environment: SEEDS ("1 2 3 4 5"), JOBS (2), RUNS (times the number of runs, 1).
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${SEEDS:=1 2 3 4 5}" "${RUNS:=1}"
case $HEDDLE in /*) ;; *) HEDDLE=$PWD/$HEDDLE ;; esac
export HEDDLE SEEDS RUNS
. "$here/pair.bash" # header

# ids DIR SEED OPTION... -> ids found, one a line
ids() {
    local dir=$1 seed=$2 runs prog=${name%.*}
    shift 2
    runs=$(($(header "$file" runs) * RUNS))
    (cd "$dir" && rm -rf .heddle && "$HEDDLE" test -q --keep-going --no-minimize --runs "$runs" \
        --seed "$seed" --json r.json "$@" -- "./$prog" >out 2>err </dev/null
    jq -r '.findings[].id' r.json 2>/dev/null | sort)
}

# The same program, its lines elsewhere.
move_lines() { sed -E -e '1,/\*\//!{/^}$/a /* a line\n * more */' -e '}' "$1" | sed '1i /* moved */\n'; }

one() {
    local file=$1 name dir build want=2 first="" got s
    name=$(basename "$file")
    dir=$WORK/$name.d
    local prog=${name%.*}
    mkdir -p "$dir/moved"
    build=$(header "$file" build)
    [ -z "$(header "$file" bugs)" ] || want=$(header "$file" bugs)
    read -ra opts <<<"$(header "$file" options)"
    local link=""
    case $build in *' -lgtest'*) link=-lgtest build=${build/ -lgtest/} ;; esac
    if [ -n "$link" ] && ! echo '#include <gtest/gtest.h>' | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; then
        echo "SKIP  $name: libgtest-dev is not installed"
        return
    fi
    cp "$file" "$dir/$name"
    move_lines "$file" >"$dir/moved/$name"
    (cd "$dir" && $build -o "$prog" "$name" $link 2>build.log) || { echo "FAIL  $name: does not build"; return; }
    (cd "$dir/moved" && $build -o "$prog" "$name" $link 2>build.log) ||
        { echo "FAIL  $name: does not build with lines moved"; return; }
    for s in $SEEDS moved; do
        if [ "$s" = moved ]; then
            got=$(ids "$dir/moved" "${SEEDS%% *}" ${opts[@]+"${opts[@]}"})
        else
            got=$(ids "$dir" "$s" ${opts[@]+"${opts[@]}"})
        fi
        [ "$(wc -w <<<"$got")" -eq "$want" ] ||
            { echo "FAIL  $name: seed $s: ids: $(echo $got), expected $want"; return; }
        [ -z "$first" ] || [ "$got" = "$first" ] ||
            { echo "FAIL  $name: seed $s: ids: $(echo $got), before: $(echo $first)"; return; }
        first=$got
    done
    echo "$first" >"$WORK/$name.ids"
    echo "ok    $name"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi
[ -x "$HEDDLE" ] || { echo "identity.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
files=()
[ $# -gt 0 ] || set -- '*'
for what; do
    for f in "$here"/identity/$what.c "$here"/identity/$what.cc; do [ ! -f "$f" ] || files+=("$f"); done
done
[ ${#files[@]} -gt 0 ] || { echo "identity.sh: no such program" >&2; exit 64; }
WORK=$(mktemp -d)
export WORK
trap 'rm -rf "$WORK"' EXIT
printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one | tee "$WORK/summary" | grep -v '^ok'
passed=$(grep -c '^ok' "$WORK/summary")
skipped=$(grep -c '^SKIP' "$WORK/summary")
cat "$WORK"/*.ids >"$WORK/all" 2>/dev/null
shared=$(sort "$WORK/all" | uniq -d)
[ -z "$shared" ] || echo "FAIL  shared: $(echo $shared)"
echo "$(sort -u "$WORK/all" | wc -l) ids of $passed programs, $(echo $shared | wc -w) shared"
failed=$((${#files[@]} - passed - skipped + $(echo $shared | wc -w)))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
