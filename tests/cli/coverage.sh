#!/usr/bin/env bash
# Coverage and its memory: what a campaign covers, what the store remembers of it,
# and what happens when the store or Heddle does not live to see the end.
. "$(dirname "$0")/lib.bash"
correct_c
racy_c

# elements DIR [METRIC...]: every element that is remembered, one a line
elements() {
    local dir=$1 m
    shift
    for m in ${@:-iroot pset hapset syncpair map cfp race defuse}; do
        "$HEDDLE" coverage -q --dir "$dir" --list "$m" --json - | jq -c '.elements[] |
            [.metric, .sub, (.sites | map(.site))]'
    done | sort
}
# total DIR METRIC: how many, by the table
total() { "$HEDDLE" coverage -q --dir "$1" --json - | jq ".metrics[] | select(.name == \"$2\").covered"; }

# ---- what is covered
check "small programs cover exactly what was written down by hand" "$ROOT/tests/target/cover.sh"

heddle test --runs 200 --seed 1 --json test.json -- ./correct
expect 0 "a campaign says what it covered" "covered: iroot [0-9]+ \([0-9]+ new\), pset"
check "... in its JSON as well" jq -e '.coverage | .runs == 200 and .events > 2000 and
    .store_error == null and ([.metrics[] | select(.name == "syncpair")][0] |
    .covered == 1 and .new == 1 and .saturated)' test.json
heddle coverage
expect 0 "the table" "correct, build [0-9a-f]{12}: 1 campaign, 200 runs .*syncpair +1 +- +1 "
check "the possible is told where it is known" grep -Eq '^map +[0-9]+ +[0-9]+ ' out
heddle coverage --metric syncpair
expect 0 "one metric" "syncpair +1 +- +1 "
check "... and no other" sh -c '! grep -q iroot out'
heddle coverage --list iroot1
expect 0 "the list" "add correct.c:9 => add correct.c:7 \(lock\)"
check "the list has idiom 1 only" sh -c '! grep -q ", " out'
heddle coverage --list defuse2
expect 0 "variables are named" "add correct.c:8 => add correct.c:8 \(counter\)"
heddle coverage --curve
expect 0 "the curve" "syncpair +1 +1 +[0-9.]+ +1 "
heddle coverage --curve --json curve.json
check "the curve in JSON grows" jq -e '.campaigns[0].curve | all(.[]; . == sort_by(.run) and
    (map(.covered) | . == (sort | unique)))' curve.json
heddle coverage --list race --json - -q
check "JSON on stdout is JSON" jq -e '.elements == []' out
heddle coverage ./correct
expect 0 "a program by name" "correct, build"
heddle coverage ./racy
expect 99 "a program that was never tested" "never tested"
heddle coverage --list nonsense
expect 64 "no such metric" "unknown metric 'nonsense': there are iroot, pset"
heddle test --coverage iroot,nonsense -- ./correct
expect 64 "no such metric for a campaign" "unknown metric 'nonsense'"
heddle coverage --dir nowhere
expect 99 "no store" "there is no store yet"

heddle run --dir silent -- ./correct
expect 0 "a single run"
check "... observes nothing unless asked" sh -c '! grep -q covered err && [ ! -e silent/store.db ]'
heddle run --coverage auto -- ./correct
expect 0 "a single run covers, too" "covered: iroot"
heddle coverage
expect 0 "... and is remembered" "2 campaigns, 201 runs"
heddle test --runs 50 --coverage none --dir none -- ./correct
expect 0 "--coverage none"
check "... says nothing and remembers nothing" sh -c '! grep -q covered err && [ ! -e none ]'
heddle test --runs 50 --coverage iroot1,race --seed 1 --dir pairs -- ./correct
expect 0 "a choice of metrics" "covered: iroot1 [0-9]+ \([0-9]+ new\), race 0 heddle"
check "... only these" test "$(elements pairs | jq -r '"\(.[0])\(.[1])"' | sort -u)" = iroot1
heddle test --runs 300 --strategy pos --seed 3 -j 2 --dir jobs -- ./correct
expect 0 "two workers" "covered: iroot"
check "... cover the same" test "$(elements jobs)" = "$(elements .heddle)"

# ---- memory
heddle test --runs 50 --seed 2 -- ./correct
expect 0 "nothing is new the second time" "covered: iroot [0-9]+, pset [0-9]+, hapset"
heddle test --runs 50 --seed 2 --exit-ok 3 -- ./correct b
heddle coverage --list syncpair --json - -q
check "inputs are counted" jq -e '.elements[0].inputs == 2' out
heddle run --dir other --coverage all --json first.json -- ./racy
heddle test -q --runs 20 --keep-going --no-minimize --dir other -- ./racy
heddle run --dir other --coverage all --json later.json -- ./racy
check "a later run starts with the sites that were learned" \
    test "$(jq .points first.json)" -lt "$(jq .points later.json)"
check "findings are remembered, too" test -s other/store.db
heddle replay --coverage all -q .heddle/last.heddle
expect 0 "what a recorded run covers" "iroot1  add correct.c:9 => add correct.c:7 \(lock\)"

first=
same=0
for i in $(seq 10); do
    "$HEDDLE" test -q --runs 40 --seed 7 --coverage all --keep-going --no-minimize --dir "seed$i" -- ./racy >/dev/null 2>&1
    now=$(elements "seed$i" iroot race map)
    [ "$i" -gt 1 ] || first=$now
    [ "$now" = "$first" ] && [ -n "$now" ] && same=$((same + 1))
done
check "same seed, same coverage: $same of 10" test $same = 10
"$HEDDLE" test -q --runs 40 --seed 7 --coverage all --keep-going --no-minimize --dir seed1 -- ./racy >/dev/null 2>&1
check "... also in a store that knows it" test "$(elements seed1 iroot race map)" = "$first"

heddle test --until saturated --seed 1 --dir until --json until.json -- ./correct
expect 0 "--until saturated ends" "until coverage is saturated"
check "... after the window, not at once" \
    jq -e '.runs >= 120 and .runs < 600 and all(.coverage.metrics[]; .saturated)' until.json
heddle test --until tired -- ./correct
expect 64 "no such end" "knows 'saturated'"
heddle test --until saturated --coverage none -- ./correct
expect 64 "saturation of nothing" "needs coverage"

# ---- merging
heddle test -q --runs 30 --seed 4 --coverage all --keep-going --no-minimize --dir a -- ./racy
heddle test -q --runs 30 --seed 5 --coverage all --dir b -- ./correct
heddle merge --dir ab a b
expect 0 "merge" "a: added to ab .*b: added to ab"
heddle merge -q --dir ba b a
expect 0 "merge in the other order"
check "both give the same" test "$(elements ab)" = "$(elements ba)"
elements ab >once
heddle merge -q --dir ab a b
check "merging twice changes nothing" test "$(elements ab)" = "$(cat once)"
check "... no campaign twice" \
    test "$("$HEDDLE" coverage -q --dir ab --json - ./racy | jq '.campaigns | length')" = 1
check "each program is there" \
    test "$("$HEDDLE" coverage -q --dir ab --json - ./racy | jq .metrics[0].covered)" = "$(total a iroot)"
heddle merge nowhere
expect 99 "nothing to merge" "there is no store yet"
heddle merge
expect 64 "merge wants a store" "no store"

# ---- builds
cp -r .heddle builds
sed 's/i < 3/i < 2/' correct.c >changed.c
gcc -g -fsanitize=thread changed.c -o correct
heddle test -q --runs 30 --seed 1 --exit-ok 1 --dir builds -- ./correct
heddle coverage --dir builds
expect 0 "a rebuilt program is another build" "1 campaign, 30 runs \(1 other build is kept apart"
old=$("$HEDDLE" coverage -q --json - | jq -r .build)
heddle coverage --dir builds --build "${old:0:8}"
expect 0 "the old one is kept" "build ${old:0:8}.*: [0-9]+ campaigns"
gcc -g -fsanitize=thread changed.c -o correct
heddle test --runs 30 --seed 1 --exit-ok 1 --dir builds -- ./correct
expect 0 "linked again without a change it is the same build" "covered: iroot [0-9]+, pset"
strip correct
heddle test -q --runs 30 --seed 1 --exit-ok 1 --dir stripped -- ./correct
heddle coverage --dir stripped --list syncpair
expect 0 "a stripped program: addresses" "correct\+0x[0-9a-f]+ then correct\+0x"
check "... and one warning" test "$(grep -c warning err)" = 1
correct_c

# ---- a store that cannot be used
bad() { # bad NAME SENTENCE: campaign goes on, coverage does not
    heddle test --runs 20 --dir bad -- ./correct
    expect 0 "$1: the campaign goes on" "warning: nothing will be remembered: .*$2.* 20 runs in"
    check "... with one sentence" test "$(grep -c remembered err)" = 1
    heddle coverage --dir bad
    expect 99 "... and coverage says why it cannot" "$2"
}
mkdir bad && head -c 5000 /dev/urandom >bad/store.db
bad "a damaged store" "bad/store.db"
check "... is left alone" test "$(stat -c %s bad/store.db)" = 5000
cp .heddle/store.db bad/store.db
printf '\0\0\0\143' | dd of=bad/store.db bs=1 seek=60 conv=notrunc status=none
bad "a newer store" "newer Heddle"
rm -rf bad && mkdir bad && mkdir bad/store.db
bad "a folder in its place" "not a regular file"
rm -rf bad
"$HEDDLE" test -q --time 20s --dir busy -- ./correct >/dev/null 2>&1 &
other=$!
for i in $(seq 100); do
    [ -e busy/store.db ] && break
    sleep 0.05
done
heddle test --runs 20 --dir busy -- ./correct
expect 0 "a store in use: the campaign goes on" "warning: nothing will be remembered: .* 20 runs in"
heddle coverage --dir busy
check "... and can be read" test "$rc" = 0
kill $other
wait $other 2>/dev/null

# ---- SIGKILL at any moment
killed=0
torn=0
for i in $(seq 50); do
    "$HEDDLE" test -q --time 20s --coverage all --dir killed -- ./correct >/dev/null 2>&1 &
    victim=$!
    sleep "0.$(printf %03d $((RANDOM % 400)))"
    kill -9 $victim && killed=$((killed + 1))
    wait $victim 2>/dev/null
    [ -e killed/store.db ] || continue
    # In every state on disk the elements are those the last point of the curve counts.
    "$HEDDLE" coverage -q --dir killed --curve --json - >state.json 2>err ||
        { grep -q 'no campaign is remembered\|nothing in it' err || torn=$((torn + 1)); continue; }
    jq -e '. as $all | all(.metrics[]; .name as $m | .covered ==
        ([$all.campaigns[].curve[$m][].covered] | max // 0))' state.json >/dev/null || torn=$((torn + 1))
done
check "killed $killed times at random: $torn times torn" test $killed = 50 -a $torn = 0
heddle test --runs 30 --dir killed -- ./correct
expect 0 "... and the store is still of use" "covered: iroot"
# Other tests have programs of that name as well.
left_here() { for p in $(pgrep -f '^./correct'); do [ "$(readlink "/proc/$p/cwd")" != "$PWD" ] || echo "$p"; done; }
check "nobody is left behind" test -z "$(left_here)"
finish
