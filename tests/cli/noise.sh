#!/usr/bin/env bash
# Whatever the program writes into what it shares with the host, the host neither crashes
# nor hangs nor becomes deaf (tests/long/noise.sh does the same at length).
. "$(dirname "$0")/lib.bash"
for p in noise hostile; do
    gcc -g -O1 -fsanitize=thread -o $p "$ROOT/tests/nasty/shared/$p.c" -pthread 2>err || not_ok "$p builds"
done
# One more verdict is right: Heddle failed (99), since its runtime lives in that memory.
is_alive() { [ $rc = 0 ] || [ $rc = 66 ] || [ $rc = 98 ] || [ $rc = 99 ]; }

for way in truncate grow ones zeros header tables counts reply; do
    for end in "" end; do
        heddle test -q --keep-going --runs 3 --timeout 1s --no-minimize --dir d -- ./hostile $way $end
        check "attack: $way${end:+ at the end}" is_alive
        rm -rf d
    done
done
for way in truncate grow; do
    heddle test --runs 3 --keep-going --dir d -- ./hostile $way
    expect 0 "the memory cannot be made smaller or larger: $way" "3 runs"
done
heddle test --keep-going --runs 3 --timeout 1s --dir d -- ./hostile ones
expect 99 "... and whose fault it was is said" "the program wrote into the memory that it shares with Heddle"
for phase in 0 1 2 3; do
    for seed in 1 2; do
        heddle test -q --keep-going --runs 6 --timeout 1s --no-minimize --dir d -- ./noise $seed 2000 $phase
        check "noise in phase $phase, seed $seed" is_alive
        rm -rf d
    done
done
heddle test -q --keep-going --runs 3 --timeout 2s --no-minimize --dir d -- ./noise 1 0 2
check "noise in every page" is_alive
# Ctrl-C while the program counts up everything that looks like progress.
begin=$SECONDS
timeout --foreground -s INT 1 "$HEDDLE" test -q --keep-going --time 60s --timeout 30s --dir d -- ./hostile counts >out 2>err
check "Ctrl-C works" test $((SECONDS - begin)) -lt 10
finish
