#!/usr/bin/env bash
# Same schedule, same events: every target program is run once by a seed, then
# twice by the schedule of that run, and all three must have the same hash over
# all events. Meanwhile two workers of another campaign keep the machine busy, so
# that real time passes differently in each.
. "$(dirname "$0")/lib.bash"
. "$ROOT/tests/target/compile.bash"
racy_c
: "${SEED:=7}" "${STRATEGIES:=random pct}"

"$HEDDLE" test -q -j 2 --keep-going --time 300s --exit-ok 0 --dir load -- ./racy >/dev/null 2>&1 &
load=$!
trap 'kill $load 2>/dev/null; wait $load 2>/dev/null' EXIT

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

for file in "$ROOT"/tests/target/{buggy,correct,mini}/*.{c,cc}; do
    [ -f "$file" ] || continue
    name=${file#"$ROOT"/tests/target/}
    library=$(header "$file" library)
    [ -z "$library" ] || compile "$library" prog.so "$file" 2>err || not_ok "$name: its library builds"
    compile "$(header "$file" build)" prog "$file" 2>err || { not_ok "$name: builds"; continue; }
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    for strategy in $STRATEGIES; do
        rm -rf d
        heddle run -q --strategy "$strategy" --seed "$SEED" --dir d ${opts[@]+"${opts[@]}"} -- \
            ./prog ${args[@]+"${args[@]}"}
        first=$rc
        if [ $first != 0 ] && [ $first != 66 ]; then
            not_ok "$name, $strategy: runs (status $first)"
            continue
        fi
        heddle replay d/last.heddle --times 2
        expect $first "$name, $strategy: the same events twice" "2 of 2 times"
    done
done
check "there were programs" test $n_checks -gt 100
check "the load was there" kill -0 $load
finish
