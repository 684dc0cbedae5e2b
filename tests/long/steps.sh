#!/usr/bin/env bash
# steps.sh: programs of many steps run to their end, with at most 8 bytes a switch on record, and
# are replayed as recorded: each of PROGRAMS in tests/long/steps, RUNS times with STEPS (10^9) steps
# or more, one run under each of STRATEGIES in turn. One that fails in the end is minimized as well.
# 10^9 steps take two minutes of processor time or more each, half an hour on a busy machine.
# Environment: STEPS, RUNS (1), STRATEGIES ("pct"), LIMIT of a run (7200s), REPLAY (1), MINIMIZE (options, as
# "--replays 6": each trial is a whole run),
# PROGRAMS ("atomic counter ring turns late early").
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${STEPS:=1000000000}" "${RUNS:=1}" "${STRATEGIES:=pct}" "${LIMIT:=7200s}" "${REPLAY:=1}" "${MINIMIZE:=}"
: "${PROGRAMS:=atomic counter ring turns late early}" "${HEDDLE:=$here/../../build/bin/heddle}"
passed=0
failed=0
said=

judge() { # text condition...
    if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL  $1"; echo "$said"; fi
}

timed() { # command...: $said, $status, and processor time in $spent
    local before after
    times >clock # not in a shell of its own, which has no children yet
    before=$(sed -n 2p clock)
    said=$("$@" 2>&1 </dev/null)
    status=$?
    times >clock
    after=$(sed -n 2p clock)
    spent=$(awk -v a="$before" -v b="$after" 'function s(t, p) { split(t, p, /[ms]/); return 60 * p[1] + p[2] }
        BEGIN { split(a, x, " "); split(b, y, " "); printf "%.1f", s(y[1]) + s(y[2]) - s(x[1]) - s(x[2]) }')
}

each_of() { # steps of a round at least
    case $1 in atomic) echo 2 ;; counter) echo 4 ;; ring) echo 5 ;; turns) echo 15 ;; late) echo 8 ;; early) echo 2 ;; esac
}

read -ra strategies <<<"$STRATEGIES"
for name in $PROGRAMS; do
    ${CC:-gcc} -g -O2 -fsanitize=thread -o "$name" "$here/steps/$name.c" -pthread || exit 99
    expected=0
    case $name in late | early) expected=66 ;; esac
    for ((i = 0; i < RUNS; i++)); do
        strategy=${strategies[i % ${#strategies[@]}]}
        timed "$HEDDLE" run --seed $((i + 1)) --strategy "$strategy" --timeout "$LIMIT" --dir "d.$name" \
            -- "./$name" $((STEPS / $(each_of "$name")))
        file=d.$name/last.heddle
        [ $status -eq 66 ] && file=$(echo "d.$name"/findings/*-*/replay.heddle)
        steps=$(sed -n 's/^steps //p' "$file")
        entries=$(sed -n 's/^end \([0-9]*\) .*/\1/p' "$file")
        bytes=$(stat -c %s "$file")
        printf '%-8s %-8s %12s steps %10s s  exit %d  %9s entries  %s bytes each\n' "$name" "$strategy" \
            "${steps:-?}" "$spent" $status "$entries" "$(awk "BEGIN { printf \"%.1f\", $bytes / $entries }")"
        judge "$name, $strategy: ends as expected" [ $status -eq $expected ]
        judge "$name, $strategy: made $STEPS steps" [ "${steps:-0}" -ge "$STEPS" ]
        # and a header; up to 65536 entries have a line each, which can be read
        judge "$name, $strategy: 8 bytes a switch" [ "$bytes" -le $(((entries > 65536 ? 8 : 40) * entries + 32768)) ]
    done
    if [ "$REPLAY" = 1 ]; then
        timed "$HEDDLE" replay --timeout "$LIMIT" "$file"
        printf '%-8s %-8s %31s s\n' "$name" replay "$spent"
        judge "$name: the last run again" [ $status -eq $expected ]
        judge "$name: the same events" grep -Eq 'ran as recorded|1 of 1' <<<"$said"
    fi
    if [ $expected = 66 ]; then
        timed "$HEDDLE" minimize --timeout "$LIMIT" $MINIMIZE "$file"
        printf '%-8s %-8s %31s s  %s\n' "$name" minimize "$spent" "$(grep -m 1 "Made smaller" <<<"$said")"
        judge "$name: minimized" grep -Eq '(^|[^0-9])0 preemptions instead of' <<<"$said"
    fi
    rm -rf "d.$name"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
