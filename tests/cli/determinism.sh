#!/usr/bin/env bash
# Same schedule, same events: every second target program is run once by a seed, under one of two
# strategies (its name says which; all of them, under more, in long/replays.sh), then
# twice by the schedule of that run, and all three must have the same hash over
# all events. Two programs are tested at a time, and a worker of another campaign keeps
# the machine busy, so that real time passes differently in each.
. "$(dirname "$0")/lib.bash"
. "$ROOT/tests/target/compile.bash"
: "${SEED:=7}"

header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }

one() { # one FILE
    local file=$1 name library strategy first args opts
    name=${file#"$ROOT"/tests/target/}
    mkdir -p "$name.d" && cd "$name.d" || exit 99
    library=$(header "$file" library)
    [ -z "$library" ] || compile "$library" prog.so "$file" 2>err || not_ok "$name: its library builds"
    compile "$(header "$file" build)" prog "$file" 2>err || { not_ok "$name: builds"; return; }
    read -ra args <<<"$(header "$file" args)"
    read -ra opts <<<"$(header "$file" options)"
    strategy=random
    [ $(($(cksum <<<"$name" | cut -d' ' -f1) % 2)) = 0 ] || strategy=pct
    heddle run -q --strategy $strategy --seed "$SEED" --dir d ${opts[@]+"${opts[@]}"} -- \
        ./prog ${args[@]+"${args[@]}"}
    first=$rc
    if [ $first != 0 ] && [ $first != 66 ]; then
        not_ok "$name, $strategy: runs (status $first)"
        return
    fi
    heddle replay d/last.heddle --times 2
    expect $first "$name, $strategy: the same events twice" "2 of 2 times"
}

if [ "${1:-}" = --one ]; then
    one "$2"
    finish
fi
racy_c
"$HEDDLE" test -q --keep-going --time 600s --exit-ok 0 --dir load -- ./racy >/dev/null 2>&1 &
load=$!
trap 'kill $load 2>/dev/null; wait $load 2>/dev/null' EXIT
printf '%s\0' "$ROOT"/tests/target/{buggy,correct,mini}/*.{c,cc} |
    while read -rd '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done | sed -z 'n;d' |
    xargs -0 -n 1 -P 2 bash "$0" --one >all || failed=1
grep -A 40 '^not ok' all
check "there were programs" test "$(grep -c '^ok' all)" -gt 100
check "the load was there" kill -0 $load
finish
