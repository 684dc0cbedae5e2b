#!/usr/bin/env bash
# suite.sh: all buggy programs of bench/find as one suite in one store: all are found. Then the same
# in another store, killed KILLS (50) times at random moments and continued: the same programs have
# findings. Both stores merged, in either order and twice, know the same.
# Environment: KILLS, TIME (900: seconds for the suite), NAMES (all: a pattern of names)
set -u
: "${KILLS:=50}" "${TIME:=900}" "${NAMES:=.}"
export HEDDLE_OPTIONS=--no-race
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
passed=0
failed=0
check() { # check WHAT COMMAND...
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "not ok - $what"; fi
}
header() { sed -n "1,20s/^ \* $2: *//p" "$1" | head -n 1; }
for file in "$here"/../target/buggy/*.c "$here"/../../bench/find/ending/*.c; do
    name=$(basename "$file" .c)
    grep -Eq "$NAMES" <<<"$name" || continue
    build=$(header "$file" build)
    ${build:-gcc -g -O1 -fsanitize=thread} -I"$(dirname "$file")" "$file" -o "$name" -pthread || exit 99
    printf '[[input]]\nname = "%s"\nprogram = "./%s"\nargs = [' "$name" "$name"
    for word in $(header "$file" args); do printf '"%s",' "$word"; done
    printf ']\n'
done >suite.toml
all=$(grep -c '^\[\[input' suite.toml)

suite() { # suite DIR OUT
    "$HEDDLE" suite -q --no-minimize --seed 1 --time "${TIME}s" --dir "$1" --json "$2" suite.toml >out 2>err </dev/null
}
found() { jq -r '.inputs[] | select(.findings > 0) | .name' "$1" | sort; }

suite one one.json
found one.json >one.found
echo "in one go: $(wc -l <one.found) of $all found in $(jq -r '.profile_seconds + .test_seconds | floor' one.json) s"
comm -13 one.found <(sed -n 's/^name = "\(.*\)"/\1/p' suite.toml | sort) | sed 's/^/#   not found: /'
check "all are found" test "$(wc -l <one.found)" = "$all"

for ((i = 0; i < KILLS; i++)); do
    suite two two.json 2>/dev/null & # what the shell says of the kill
    job=$!
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    pkill -KILL -P "$job" 2>/dev/null
    kill -KILL "$job" 2>/dev/null
    wait "$job" 2>/dev/null
done
rm -f two.json
suite two two.json
found two.json >two.found
echo "killed $KILLS times: $(wc -l <two.found) of $all"
check "the same after $KILLS kills" cmp -s one.found two.found

cp -r one a
cp -r two b
"$HEDDLE" merge -q --dir a two && "$HEDDLE" merge -q --dir b one
findings() { sqlite3 "$1/store.db" "SELECT key FROM finding GROUP BY key ORDER BY key"; }
check "merged in either order" test "$(findings a)" = "$(findings b)"
before=$(findings a)
"$HEDDLE" merge -q --dir a two
check "merged twice" test "$(findings a)" = "$before"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
