#!/usr/bin/env bash
# A racy program: found, confirmed, saved, replayed from anywhere.
. "$(dirname "$0")/lib.bash"
racy_c

heddle test --seed 1 --json result.json --sarif result.sarif --junit result.xml -- ./racy
expect 66 "the race is found" "counter == 6"
id=$(basename "$(readlink .heddle/findings/latest)")
dir=.heddle/findings/$id
check "findings go to stdout" grep -q "FINDING $id" out
check "progress goes to stderr" grep -q "testing .*racy.*seed 1" err
for f in replay.heddle report.txt report.json stdout.txt stderr.txt README; do
    check "$f is saved" test -e "$dir/$f"
done
check "no temporary folder is left" test -z "$(find .heddle -name '.tmp*' -o -name '.latest*')"
check "it was confirmed" grep -q "Replayed 5 times: the same failure every time" "$dir/report.txt"
check "the JSON is valid" jq -e '.exit == 66 and .runs > 0 and (.findings | length) == 1' result.json
check "the finding's JSON has the id" jq -e --arg id "$id" '.id == $id' "$dir/report.json"
check "the SARIF is valid" jq -e '.version == "2.1.0" and (.runs[0].results | length) == 1' result.sarif
check "the JUnit is valid" xmllint --noout result.xml

heddle replay "$dir/replay.heddle" --times 3
expect 66 "the replay fails again" "3 of 3 times"
check "the replay reports the same finding" grep -q "FINDING $id" out
heddle replay -q "$dir/replay.heddle"
expect 66 "a quiet replay"
check "a quiet replay says nothing on stderr" test ! -s err
where=$PWD
(cd / && env -i PATH="$PATH" X="$(printf '%5000s' x)" "$HEDDLE" replay "$where/$dir/replay.heddle") >out 2>err
rc=$?
expect 66 "the replay works from another folder and environment" "1 of 1 time"
heddle replay --json again.json "$dir/replay.heddle"
check "replay writes JSON" jq -e '.command == "replay" and .exit == 66' again.json

heddle test --seed 1 --dir second -- ./racy
expect 66 "the same seed finds it again"
check "the same seed finds the same run" \
    cmp <(grep -E '^(run|steps|hash|pick)' "$dir/replay.heddle") \
        <(grep -E '^(run|steps|hash|pick)' second/findings/"$id"/replay.heddle)
heddle test --seed 1 --json - -- ./racy
check "--json - leaves nothing but JSON on stdout" jq -e '.seed == 1' out
# Runs that learn sites leave more behind than they found: the next replay must not see it.
gcc -g -O1 -fsanitize=thread "$ROOT/tests/target/buggy/early_free.c" -o early_free
for seed in 1 2 3; do
    heddle test --seed $seed --dir e -- ./early_free
    expect 66 "early_free, seed $seed" "Replayed 5 times: the same failure every time"
    heddle replay --times 5 e/findings/latest/replay.heddle
    expect 66 "its replays, seed $seed" "5 of 5 times"
done
NO_COLOR=1 heddle test --seed 1 -- ./racy
check "no colour without a terminal" test -z "$(grep -P '\x1b' out err)"
finish
