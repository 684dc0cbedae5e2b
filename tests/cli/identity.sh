#!/usr/bin/env bash
# One finding, one id, one folder: also after an edit that moves lines.
. "$(dirname "$0")/lib.bash"
cp "$ROOT/tests/target/buggy/deadlock_two.c" "$ROOT/tests/target/buggy/lost_wakeup.c" \
    "$ROOT/tests/target/buggy/livelock.c" "$ROOT/tests/target/heap/double_free.c" .
racy_c
ids() { # ids PROGRAM [OPTION...] -> the ids of two campaigns with different schedules
    local p=$1 s
    shift
    for s in 1 2; do
        "$HEDDLE" test -q --no-minimize --runs 500 --seed $s --strategy random --dir "d$s" \
            --json r.json "$@" -- "./$p" >out 2>err </dev/null
        jq -r '.findings[0].id // "none"' r.json
    done | sort -u
}
for p in racy deadlock_two lost_wakeup livelock double_free; do
    build $p -O1
    before=$(ids $p)
    check "$p has one id ($before)" test "$(wc -w <<<"$before")" = 1
    check "$p is found" test "$before" != none
    sed -i '1i /* a line more */' $p.c
    sed -i '/pthread_create/{i /* and one in the middle */
:a;n;ba}' $p.c
    build $p -O1
    check "$p keeps its id when lines move" test "$(ids $p)" = "$before"
done
heddle test --seed 1 --runs 400 --keep-going --strategy random --dir k --json r.json -- ./racy
expect 66 "found many times"
check "reported once" test "$(grep -c ^FINDING out)" = 1
check "counted" jq -e '.times | length == 1 and (to_entries[0].value > 1)' r.json
check "one folder" test "$(ls -d k/findings/*-* | wc -l)" = 1
check "latest points to it" test "$(readlink k/findings/latest)" = "$(jq -r '.findings[0].id' r.json)"
check "README has the command" grep -Fq \
    'heddle test --seed 1 --runs 400 --keep-going --strategy random --dir k --json r.json -- ./racy' \
    k/findings/latest/README
check "README has seed and run" grep -Eq 'seed 1, in run [0-9]+' k/findings/latest/README
check "README says how to replay" grep -Fq "heddle replay k/findings/" k/findings/latest/README
bash -c "$(sed -n 's/^Found by: *heddle/\"$HEDDLE\"/p' k/findings/latest/README)" >out 2>err
rc=$?
expect 66 "the command can be pasted" "FINDING $(jq -r '.findings[0].id' r.json)"
check "found again, still one folder" test "$(ls -d k/findings/*-* | wc -l)" = 1
heddle test --seed 1 --runs 300 --dir 'a b' -- ./racy
check "words are quoted" grep -Fq "'a b'" 'a b/findings/latest/README'
finish
