#!/usr/bin/env bash
# compilers.sh: target programs built by every gcc-N and clang-N there is: the same verdicts
# as with the compiler of the headers.
#
#   HEDDLE=path/to/heddle tests/long/compilers.sh [COMPILER...]
#
# Environment: PROGRAMS (mini, and one of ten of buggy, heap and correct), RUNS (100 of each
# correct program), JOBS (2). Prints each failure, ends with "N passed, N failed".
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/../target
: "${HEDDLE:=$here/../../build/bin/heddle}" "${JOBS:=2}" "${RUNS:=100}" "${MINI_RUNS:=300}"
: "${PROGRAMS:=mini $(ls "$target"/{buggy,heap,correct}/*.{c,cc} | awk 'NR % 10 == 1' | tr '\n' ' ')}"
export HEDDLE JOBS RUNS MINI_RUNS STRATEGIES=${STRATEGIES:-default random}
[ $# -gt 0 ] || set -- $(compgen -c | grep -E '^(gcc|clang)-[0-9]+$' | sort -u)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0
for cc; do
    case $cc in
    *clang*) cxx=${cc/clang/clang++} more=" -shared-libsan" ;;
    *) cxx=${cc/gcc/g++} more= ;;
    esac
    command -v "$cc" >/dev/null || { echo "no $cc"; failed=$((failed + 1)); continue; }
    # g++-N and clang++-N are packages of their own.
    if ! command -v "$cxx" >/dev/null; then cxx=; fi
    # shellcheck disable=SC2086
    CC=$cc$more CXX=${cxx:+$cxx$more} "$target/run.sh" $PROGRAMS >"$log" 2>&1
    p=$(grep -c '^ok' "$log") f=$(grep -c '^FAIL' "$log")
    echo "$("$cc" --version | head -n 1): $p passed, $f failed"
    grep '^FAIL' "$log"
    passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
