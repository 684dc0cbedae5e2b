#!/usr/bin/env bash
# sanitize.sh: the host under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer.
#
#   tests/sanitize.sh build          into BUILD/sanitize (cmake option HD_SANITIZE, clang)
#   tests/sanitize.sh unit           the unit tests
#   tests/sanitize.sh cli NAME...    scripts of tests/cli with the sanitized command
#
# What is under test is the command; programs run with the same runtime libraries as ever. A report
# of any process fails the test, whatever its exit status was. Left out are unit tests that measure,
# and without ALL=1 those that enumerate a lot (long/sanitize.sh). Environment: BUILD (build), JOBS (2).
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${BUILD:=$root/build}" "${JOBS:=2}"
BUILD=$(realpath "$BUILD")
to=$BUILD/sanitize
without='speed|bench|filter|filter_table' # the filter is the target's, at addresses that ASan has
[ -n "${ALL:-}" ] || without+='|truth|slots|bound|fuzz|conform|stat'

case ${1:-} in
build)
    mkdir -p "$to/lib"
    ln -sfn "$BUILD/lib/heddle" "$to/lib/heddle"
    cmake -S "$root" -B "$to" -DHD_SANITIZE=ON "-DHD_WITHOUT=_($without)\\.c$" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        >"$to/configure.log" 2>&1 || { cat "$to/configure.log"; exit 1; }
    cmake --build "$to" -j "$JOBS" >"$to/build.log" 2>&1 ||
        { grep -E 'error|undefined' "$to/build.log" | head -n 40; exit 1; }
    exit 0
    ;;
unit | cli) ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 64 ;;
esac

what=$1
shift
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export WORK to root
export ASAN_OPTIONS=detect_leaks=1:log_path=$WORK/said UBSAN_OPTIONS=print_stacktrace=1:log_path=$WORK/said

one_unit() {
    local name
    name=$(basename "$1")
    mkdir -p "$WORK/$name" && cd "$WORK/$name" || return
    "$1" >log 2>&1 && echo "ok    $name" || { echo "FAIL  $name: exit $?"; tail -n 30 log | sed 's/^/    /'; }
}
one_cli() {
    mkdir -p "$WORK/$1" && cd "$WORK/$1" || return
    HEDDLE=$to/bin/heddle bash "$root/tests/cli/$1.sh" "$to/lib/heddle/libtsan.so.2" >../log.$1 2>&1 &&
        echo "ok    $1" || { echo "FAIL  $1: exit $?"; grep -A 45 '^not ok' ../log.$1 | sed 's/^/    /'; }
}
export -f one_unit one_cli

[ $what = cli ] || set -- $(find "$to/tests" -maxdepth 1 -name 'test_*' | grep -vE "_($without)$" | sort)
printf '%s\0' "$@" | xargs -0 -n 1 -P "$JOBS" bash -c "one_$what \"\$0\"" >"$WORK/summary"
grep -v '^ok ' "$WORK/summary"
for f in "$WORK"/said.*; do [ ! -f "$f" ] || head -n 60 "$f"; done
passed=$(grep -c '^ok ' "$WORK/summary")
reports=$(find "$WORK" -maxdepth 1 -name 'said.*' | wc -l)
echo "$passed passed, $(($# - passed)) failed, $reports reports of sanitizers"
[ "$passed" -eq $# ] && [ "$reports" -eq 0 ]
