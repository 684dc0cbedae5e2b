#!/usr/bin/env bash
# noise.sh: the host stays alive and listens to Ctrl-C whatever the program writes into the
# memory they share. WRITES (100000) noise writes, EACH (2000) in a process, in four phases
# of its life (tests/nasty/shared/noise.c), then PAGES (3) times one into every page; one
# campaign in ten is interrupted. Environment: WRITES, EACH, RUNS of a campaign (10), PAGES,
# SEED (1).
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${WRITES:=100000}" "${EACH:=2000}" "${RUNS:=10}" "${PAGES:=3}" "${SEED:=1}"
: "${HEDDLE:=$here/../../build/bin/heddle}"
gcc -g -O1 -fsanitize=thread -o noise "$here/../nasty/shared/noise.c" -pthread || exit 99
passed=0
failed=0
declare -A ended

campaign() { # seed writes phase limit
    rm -rf d
    timeout --foreground -k 20 -s "$5" "$4" "$HEDDLE" test -q --keep-going --runs "$RUNS" --timeout 2s \
        --no-minimize --dir d -- ./noise "$1" "$2" "$3" >out 2>&1 </dev/null
    status=$?
    ended[$status]=$((${ended[$status]:-0} + 1))
}

judge() { # text, statuses that are right
    local what=$1
    shift
    case " $* " in
    *" $status "*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAIL  $what: exit $status" && tail -n 5 out ;;
    esac
}

# Each campaign has RUNS processes with EACH writes.
n=$(((WRITES + EACH * RUNS - 1) / (EACH * RUNS)))
for phase in 0 1 2 3; do
    for ((i = 0; i < n; i++)); do
        seed=$((SEED + phase * 100000 + i))
        if ((i % 10 == 9)); then
            campaign $seed "$EACH" $phase 1 INT
            judge "phase $phase, seed $seed, interrupted" 0 66 98 99 124
        else
            campaign $seed "$EACH" $phase 120 KILL
            judge "phase $phase, seed $seed" 0 66 98 99
        fi
    done
done
for ((i = 0; i < PAGES; i++)); do
    campaign $((SEED + i)) 0 $((i % 4)) 300 KILL
    judge "every page, seed $((SEED + i))" 0 66 98 99
done
echo "$((4 * n)) campaigns of $RUNS runs, $EACH writes each; $PAGES with every page"
for status in "${!ended[@]}"; do
    echo "exit $status: ${ended[$status]}"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
