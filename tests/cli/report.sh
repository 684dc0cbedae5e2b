#!/usr/bin/env bash
# Reports where something is missing: names, sources, room; and formats that others read.
. "$(dirname "$0")/lib.bash"
racy_c
# terminal COLUMNS COMMAND: runs it on a terminal; what it wrote is in ./tty
terminal() {
    timeout 60 script -qec "stty cols $1 rows 24; $2" tty </dev/null >/dev/null 2>&1
    rc=$?
}
plain() { tr -d '\r' <tty | sed "s/$(printf '\033')\[[0-9;]*[A-Za-z]//g"; }

# ---- values
heddle test --seed 1 --strategy random --sarif r.sarif --junit r.xml -- ./racy
expect 66 "the sentence has the values" "T[12]'s (read|write) of .counter. \((saw [0-9]+|[0-9]+ -> [0-9]+)\) at racy.c:7"
check "so have the steps" grep -Eq 'write counter [0-9]+ ?-> ?[0-9]+' out
check "and the JSON" jq -e '[.order[] | select(.variable == "counter" and .kind == "write")] |
    length > 0 and all(has("old") and has("new"))' .heddle/findings/latest/report.json
heddle test --seed 1 --strategy random --no-minimize --dir plain -- ./racy
expect 66 "also without minimizing" "write counter [0-9]+ ?-> ?[0-9]+"
heddle replay .heddle/findings/latest/replay.heddle
expect 66 "and in a replay" "write counter [0-9]+ ?-> ?[0-9]+"

# ---- 40 columns
terminal 40 "'$HEDDLE' replay .heddle/findings/latest/replay.heddle"
check "a narrow terminal" test $rc = 66
check "the report fits in 40 columns, but for commands to paste" \
    test "$(plain | grep -v '^Script \|heddle replay\|^heddle: ' | awk 'length > 40' | wc -l)" = 0
check "the steps are still told" grep -Eq 'T[12] +(read|write) counter' <(plain)

# ---- no names
cp racy stripped
strip stripped
heddle test --seed 1 --strategy random --dir s -- ./stripped
expect 66 "a stripped program" "stripped\+0x[0-9a-f]+"
check "one warning about it" test "$(cat out err | grep -c 'no debug information')" = 1
check "it still has the order" grep -q "the other way round it passes" out

# ---- no sources
mkdir elsewhere
(cd elsewhere && cp ../racy.c moved.c && gcc -g -fsanitize=thread moved.c -o ../moved && rm moved.c)
heddle test --seed 1 --strategy random --dir m -- ./moved
expect 66 "the sources are gone" "moved.c:7"
check "lines are told without their text" bash -c '! grep -q "counter++;" out'

# ---- clang names whole declarations in its assertions
if command -v clang >/dev/null; then
    clang -g -fsanitize=thread -shared-libsan racy.c -o clanged 2>check.log &&
        heddle test --seed 1 --strategy random --dir c -- ./clanged
    expect 66 "built by clang" "failed in T0 \(main\), at [^ ]*racy.c:17 in main\(\)"
fi

# ---- formats
check "the SARIF keeps to its schema" test -z "$(jq -r -f "$HERE/sarif.jq" r.sarif)"
check "the schema check can fail" test -n "$(jq '.version = "2.0"' r.sarif | jq -r -f "$HERE/sarif.jq")"
check "the JUnit file is XML" xmllint --noout r.xml
correct_c
heddle test --seed 1 --runs 20 --sarif clean.sarif -- ./correct
check "the SARIF of a clean campaign, too" test -z "$(jq -r -f "$HERE/sarif.jq" clean.sarif)"
finish
