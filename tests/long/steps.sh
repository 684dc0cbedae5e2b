#!/usr/bin/env bash
# steps.sh: correct programs of many steps run to their end and are clean: each of
# tests/long/steps, RUNS (3) times with STEPS (10^8) steps or more, one run under each of
# STRATEGIES in turn; the last one is replayed if REPLAY is 1.
# Environment: STEPS, RUNS, STRATEGIES ("random pct pos"), LIMIT of a run (1800s), REPLAY (0).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${STEPS:=100000000}" "${RUNS:=3}" "${STRATEGIES:=random pct pos}" "${LIMIT:=1800s}" "${REPLAY:=0}"
: "${HEDDLE:=$here/../../build/bin/heddle}"
passed=0
failed=0
said=

judge() { # text condition...
    if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL  $1"; echo "$said"; fi
}

read -ra strategies <<<"$STRATEGIES"
# name, steps of a round at least
while read -r name each; do
    ${CC:-gcc} -g -O2 -fsanitize=thread -o "$name" "$here/steps/$name.c" -pthread || exit 99
    for ((i = 0; i < RUNS; i++)); do
        strategy=${strategies[i % ${#strategies[@]}]}
        begin=${EPOCHREALTIME/./}
        said=$("$HEDDLE" run --seed $((i + 1)) --strategy "$strategy" --timeout "$LIMIT" --dir "d.$name" \
            -- "./$name" $((STEPS / each)) 2>&1 </dev/null)
        status=$?
        steps=$(sed -n 's/.* \([0-9]*\) steps.*/\1/p' <<<"$said" | head -n 1)
        printf '%-8s %-8s %12s steps %8d ms  exit %d\n' "$name" "$strategy" "${steps:-?}" \
            $(((${EPOCHREALTIME/./} - begin) / 1000)) $status
        judge "$name, $strategy: ends and is clean" [ $status -eq 0 ]
        judge "$name, $strategy: made $STEPS steps" [ "${steps:-0}" -ge "$STEPS" ]
    done
    if [ "$REPLAY" = 1 ]; then
        said=$("$HEDDLE" replay --timeout "$LIMIT" "d.$name/last.heddle" 2>&1 </dev/null)
        judge "$name: the last run again" [ $? -eq 0 ]
    fi
    rm -rf "d.$name"
done <<'END'
counter 4
ring 5
turns 15
END
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
