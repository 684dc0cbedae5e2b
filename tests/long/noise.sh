#!/usr/bin/env bash
# noise.sh: the host stays alive and listens to Ctrl-C whatever the program writes into the
# memory they share. In each of five phases of its life (tests/nasty/shared/noise.c): WRITES
# (100000) noise writes, EACH (2000) in a process; then PAGES (15) campaigns with one into every
# page, and WHOLE (200) that overwrite all of every page. One campaign in ten is interrupted.
# Each ends with a verdict, and its store is whole. Environment: those, RUNS of a campaign (10),
# SEED (1).
set -u
export HEDDLE_OPTIONS=--no-race # it is about failures; races: race.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${WRITES:=100000}" "${EACH:=2000}" "${RUNS:=10}" "${PAGES:=15}" "${WHOLE:=200}" "${SEED:=1}"
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
    if [ -e d/store.db ] && [ "$(sqlite3 d/store.db 'pragma integrity_check')" != ok ]; then
        failed=$((failed + 1)) && echo "FAIL  $what: the store is damaged"
        return
    fi
    case " $* " in
    *" $status "*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAIL  $what: exit $status" && tail -n 5 out ;;
    esac
}

# Each campaign has RUNS processes with EACH writes.
n=$(((WRITES + EACH * RUNS - 1) / (EACH * RUNS)))
for phase in 0 1 2 3 4; do
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
    campaign $((SEED + i)) 0 $((i % 5)) 300 KILL
    judge "every page, phase $((i % 5)), seed $((SEED + i))" 0 66 98 99
done
RUNS=1 # each makes a hundred megabytes of it
for ((i = 0; i < WHOLE; i++)); do
    if ((i % 10 == 9)); then
        begin=$SECONDS
        campaign $((SEED + i)) -1 $((i % 5)) 1 INT
        judge "all of every page, phase $((i % 5)), seed $((SEED + i)), interrupted" 0 66 98 99 124
        ((SECONDS - begin < 10)) || { failed=$((failed + 1)) && echo "FAIL  ... after $((SECONDS - begin)) s"; }
    else
        campaign $((SEED + i)) -1 $((i % 5)) 300 KILL
        judge "all of every page, phase $((i % 5)), seed $((SEED + i))" 0 66 98 99
    fi
done
echo "$((5 * n)) campaigns with $EACH writes in a run; $PAGES with every page; $WHOLE with all of every page"
for status in "${!ended[@]}"; do
    echo "exit $status: ${ended[$status]}"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
