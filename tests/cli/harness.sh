#!/usr/bin/env bash
# The harness of <heddle/heddle.h>: the wrong examples are found and told by their calls, the
# right ones pass.
. "$(dirname "$0")/lib.bash"
for f in "$ROOT"/examples/harness/*; do
    name=$(basename "$f")
    case $name in *.cc) cc="g++ -std=c++17" ;; *) cc=gcc ;; esac
    $cc -Wall -Wextra -Werror -g -fsanitize=thread -I"$ROOT/include" "$f" -o "${name%.*}" || { echo "cannot build $name"; exit 1; }
done
for name in queue_test account_test lock_test map_test; do
    heddle test --seed 1 --runs 2000 --no-minimize -- "./$name"
    expect 66 "$name" "no order of these [0-9]+ calls gives this"
    check "told by its calls" grep -Eq "thread [12]: [a-z]+\([0-9, ]*\) = " out
done
check "with the nearest order" grep -q "The nearest order gives" out
heddle replay --times 20 .heddle/findings/latest/replay.heddle
expect 66 "a replay makes the same calls" "20 of 20"
for name in counter_test slot_test; do
    heddle test --seed 1 --runs 200 -- "./$name"
    expect 0 "$name is correct"
done
finish
