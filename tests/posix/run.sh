#!/usr/bin/env bash
# run.sh: the conformance programs of this folder: each must exit 0 natively, in
# one controlled run, and in RUNS controlled runs of random and of the default.
#   HEDDLE=path/to/heddle tests/posix/run.sh [--quick] [PATTERN...]   e.g. 'mutex_*'
# --quick: QUICK_RUNS (3) runs of random and of the default.
# Environment: RUNS (30), SEED (1), JOBS (2), BUILD (folder of the built programs;
# they are built again when their source is newer).
# Prints a line per program that fails, with what differs, and ends with
# "N passed, N failed". A program with " * open: AREA reason" in its header is a
# known failure: listed and counted apart; it is told if it passes.
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${RUNS:=30}" "${QUICK_RUNS:=3}" "${SEED:=1}" "${JOBS:=2}"
: "${BUILD:=$here/../../build/posix}"

COMPILE=(gcc -g -O1 -Wall -Wextra -Wno-unused-parameter -pthread)

# header FILE KEY -> value of " * KEY: value"
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

# build FILE OUT FLAGS...: only if the source is newer than what is there
build() {
    local file=$1 out=$2 flags
    shift 2
    [ "$out" -nt "$file" ] && [ "$out" -nt "$here/check.h" ] && [ "$out" -nt "$here/aio_list.h" ] && return 0
    read -ra flags <<<"$(header "$file" flags)"
    # What all of them read first is read once (headers), unless something is before it or between.
    [ "$(grep -m 1 '^#' "$file")" != '#include "check.h"' ] || set -- "$@" -include "$BUILD/check$*/check.h"
    "${COMPILE[@]}" "$@" -o "$out.new" "$file" ${flags[@]+"${flags[@]}"} && mv "$out.new" "$out"
}

# headers FLAGS...: check.h and what it includes, precompiled; where the compiler cannot take that
# (other flags of a program), it takes the copy beside it
headers() {
    local to=$BUILD/check$*
    [ "$to/check.h.gch" -nt "$here/check.h" ] && return 0
    mkdir -p "$to" && cp "$here/check.h" "$to/" && "${COMPILE[@]}" "$@" -x c-header -o "$to/check.h.gch" "$here/check.h"
}

# attempt HOW COMMAND...: 0 if it exits 0 (or Heddle had nothing to schedule, since
# it has one thread or their order is fixed); otherwise the difference is in $why
attempt() {
    local how=$1 status
    shift
    timeout -k 5 60 "$@" >log 2>&1 </dev/null
    status=$?
    case $status in 98 | 99) ! grep -qE 'nothing was tested: (the program never had|there was never|two threads never|this one run had no choice|\S+ started no program)' log || status=0 ;; esac
    [ $status -ne 0 ] || return 0
    why="$how: exit $status"$'\n'$(grep -av '^ *$' log | head -n 12 | cut -c1-160 | sed 's/^/      /')
    return 1
}

campaign() { # campaign NAME OPTION...
    local how=$1
    shift
    rm -rf .heddle
    attempt "$how" "$HEDDLE" test -q --no-minimize --runs "$RUNS" --seed "$SEED" "$@" -- ./prog
}

one() {
    local file=$1 name open why dir
    name=$(basename "$file" .c)
    open=$(header "$file" open)
    dir=$WORK/$name
    mkdir -p "$dir" && cd "$dir" || return
    if ! { build "$file" "$BUILD/$name.plain" && build "$file" "$BUILD/$name" -fsanitize=thread; } >log 2>&1; then
        echo "FAIL  $name does not build: $(grep -m 1 -E 'error|undefined' log)"
        return
    fi
    ln -sf "$BUILD/$name" prog
    if attempt natively "$BUILD/$name.plain" &&
        attempt "one run, seed $SEED" "$HEDDLE" run -q --seed "$SEED" -- ./prog &&
        campaign "random, seed $SEED" --strategy random &&
        campaign "default, seed $SEED"; then
        [ -z "$open" ] && echo "ok    $name" || echo "FIXED $name: remove the line 'open: $open'"
    elif [ -n "$open" ]; then
        echo "open  $name: $open (${why%%$'\n'*})"
    else
        echo "FAIL  $name $why"
    fi
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi
[ "${1:-}" != --quick ] || { RUNS=$QUICK_RUNS; shift; }
[ -x "$HEDDLE" ] || { echo "run.sh: no $HEDDLE; set HEDDLE" >&2; exit 99; }
HEDDLE=$(realpath "$HEDDLE")
[ $# -gt 0 ] || set -- '*'
files=()
for what; do
    n=${#files[@]}
    for f in "$here"/$what.c; do [ ! -f "$f" ] || files+=("$f"); done
    [ ${#files[@]} -gt "$n" ] || { echo "run.sh: no program '$what'" >&2; exit 64; }
done
mkdir -p "$BUILD" && BUILD=$(realpath "$BUILD") || exit 99
headers && headers -fsanitize=thread || { echo "run.sh: check.h does not compile" >&2; exit 99; }
WORK=$(mktemp -d)
export HEDDLE RUNS SEED BUILD WORK
trap 'rm -rf "$WORK"' EXIT
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$JOBS" "${BASH_SOURCE[0]}" --one >"$WORK/summary"
grep -av '^ok ' "$WORK/summary"
passed=$(grep -ac '^ok ' "$WORK/summary")
open=$(grep -acE '^(open|FIXED) ' "$WORK/summary")
failed=$((${#files[@]} - passed - open))
[ "$open" -eq 0 ] || echo "$open known failures (open), not counted as passed"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
