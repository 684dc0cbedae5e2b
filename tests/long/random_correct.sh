#!/usr/bin/env bash
# random_correct.sh: programs that are correct by construction (random_correct.c) are never accused,
# never hang Heddle, and each run of them can be replayed.
#   HEDDLE=path/to/heddle tests/long/random_correct.sh [SEED...]
# Environment: SEEDS (1000 programs), FROM (the first, 1), RUNS (20 of each by each of STRATEGIES),
# BUILDS (the compilers and options), TIME (60 s that one campaign may take), JOBS (2).
# Prints each failure with what shows it (NAMES=1 PROGRAM SEED names its scenarios); ends with "N passed, N failed".
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${SEEDS:=1000}" "${FROM:=1}" "${RUNS:=20}" "${TIME:=60}" "${JOBS:=2}"
: "${STRATEGIES:=default random pct pos}" "${BUILDS:=gcc -O1,gcc -O0,gcc -O2,clang -O2 -shared-libsan}"
export HEDDLE RUNS TIME STRATEGIES

# one PROGRAM SEED: its campaigns, and a replay of one run
one() {
    local dir s how status
    dir=$(mktemp -d)
    for s in $STRATEGIES; do
        how=()
        [ "$s" = default ] || how=(--strategy "$s")
        timeout "$TIME" "$HEDDLE" test -q ${how[@]+"${how[@]}"} --runs "$RUNS" --seed "$2" --dir "$dir" -- "$1" "$2" \
            >"$dir.log" 2>&1 </dev/null
        status=$?
        # a program whose order is fixed has nothing to be tested
        if [ $status != 0 ] && ! { [ $status = 98 ] && grep -q 'nothing was tested' "$dir.log"; }; then
            echo "FAIL  exit $status: $s --runs $RUNS --seed $2, program $2 by $(cat "$1.build"): $(head -n 1 "$dir.log")"
        else
            echo ok
        fi
    done
    "$HEDDLE" run --strategy random --seed "$2" --dir "$dir" -- "$1" "$2" >"$dir.log" 2>&1 </dev/null
    # a child runs freely: what it does can come at another time
    if ! grep -q 'another process' "$dir.log" && ! "$HEDDLE" replay "$dir/last.heddle" >"$dir.log" 2>&1 </dev/null; then
        echo "FAIL  replay of random --seed $2, program $2 by $(cat "$1.build"): $(tail -n 1 "$dir.log")"
    else
        echo ok
    fi
    rm -rf "$dir" "$dir.log"
}
if [ "${1:-}" = --one ]; then
    one "$2" "$3"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=()
while read -r build; do
    p=$work/program.${#programs[@]}
    # shellcheck disable=SC2086
    $build -g -fsanitize=thread -o "$p" "$here"/random_correct*.c 2>"$work/log" && programs+=("$p") ||
        { echo "does not build: $build"; head -n 3 "$work/log"; }
    echo "$build" >"$p.build"
done < <(tr ',' '\n' <<<"$BUILDS")
[ $# -gt 0 ] || set -- $(seq "$FROM" $((FROM + SEEDS - 1)))
for seed; do
    printf '%s\0%s\0' "${programs[seed % ${#programs[@]}]}" "$seed"
done | xargs -0 -n 2 -P "$JOBS" "${BASH_SOURCE[0]}" --one >"$work/all"
grep '^FAIL' "$work/all"
passed=$(grep -c '^ok' "$work/all") failed=$(grep -c '^FAIL' "$work/all")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
