#!/usr/bin/env bash
# heddle replay --trace: valid JSON, a track per thread, arrows that fit.
. "$(dirname "$0")/lib.bash"
cp "$ROOT/tests/target/buggy/deadlock_two.c" "$ROOT/tests/target/correct/bounded_buffer.c" .
build deadlock_two
heddle test --seed 1 --runs 300 -- ./deadlock_two
heddle replay --trace t.json .heddle/findings/latest/replay.heddle
expect 66 "a deadlock" "the steps are in t.json"
check "is JSON" jq -e . t.json
check "has a track per thread" jq -e \
    '[.traceEvents[] | select(.name == "thread_name") | .args.name] | length == 3 and .[0] == "T0 (main)"' t.json
check "has the title" jq -e '.otherData.title | startswith("Deadlock")' t.json
check "has locks with names and places" jq -e \
    'any(.traceEvents[]; .cat == "lock" and .ph == "X" and (.args.place | test("deadlock_two.c:[0-9]+")))' t.json
check "starts follow their creation" jq -e \
    '[.traceEvents[] | select(.name == "create -> start")] | length == 4' t.json

build bounded_buffer
heddle run --seed 5 --dir d -- ./bounded_buffer
heddle replay --trace b.json d/last.heddle
expect 0 "a clean run"
check "every arrow has its begin and its end" jq -e \
    '[.traceEvents[] | select(.cat == "dependency")] | group_by(.id) | length > 3 and
     all(.[]; length == 2 and .[0].ph == "s" and .[1].ph == "f" and .[0].ts < .[1].ts and .[0].tid != .[1].tid)' b.json
check "every end stands on a step of its thread" jq -e \
    '([.traceEvents[] | select(.ph == "X" or .ph == "i") | "\(.tid) \(.ts)"] | unique) as $steps |
     all(.traceEvents[] | select(.cat == "dependency"); "\(.tid) \(.ts)" as $at | $steps | bsearch($at) >= 0)' b.json
check "unlock leads to lock" jq -e 'any(.traceEvents[]; .name == "unlock -> lock")' b.json
check "exit leads to join" jq -e 'any(.traceEvents[]; .name == "exit -> join")' b.json
check "steps count up" jq -e \
    '[.traceEvents[] | select(.ph == "X" and .cat != "wait") | .ts] | . == sort' b.json
heddle replay --trace - d/last.heddle
check "'-' is stdout" jq -e '.traceEvents | length > 10' out
heddle replay --trace /nonexistent/t.json d/last.heddle
expect 99 "a file that cannot be written" "cannot write /nonexistent/t.json"
heddle replay --trace - --json - d/last.heddle
expect 64 "one result on stdout" "only one of"
finish
