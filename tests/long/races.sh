#!/usr/bin/env bash
# races.sh: the programs about races at length, and beside ThreadSanitizer.
#
#   HEDDLE=path/to/heddle tests/long/races.sh [NAME...]     all programs, or these
#   SHARD=2/8 tests/long/races.sh                           the second of eight parts
#
# 1. every labelled pair is reported and replays 20 times; correct programs are silent in RUNS
#    (1000) runs under each of random, pct, pos and the default
# 2. the same programs under the compiler's own TSan, TSAN_RUNS (50) runs each: a table of
#    who reports a race. Fails where TSan reports one in a program whose races Heddle misses.
set -u
unset HEDDLE_OPTIONS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
targets=$here/../target
: "${HEDDLE:=$here/../../build/bin/heddle}" "${RUNS:=1000}" "${TSAN_RUNS:=50}"
export HEDDLE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
bad() { echo "FAIL  $*"; failed=$((failed + 1)); }

# The programs of this part.
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(cd "$targets/race" && ls -- *.c *.cc)
if [ -n "${SHARD:-}" ]; then
    all=("${names[@]}") names=()
    for i in "${!all[@]}"; do
        [ $((i % ${SHARD#*/})) != $((${SHARD%/*} - 1)) ] || names+=("${all[i]}")
    done
fi
racy=() correct=()
for name in "${names[@]}"; do
    case $name in ok_*) correct+=("$name") ;; *) racy+=("$name") ;; esac
done

: >"$work/found" >"$work/silent"
[ "${#racy[@]}" = 0 ] || REPLAYS=20 RUNS=20 "$targets/race.sh" "${racy[@]}" >"$work/found"
[ "${#correct[@]}" = 0 ] || RUNS=$RUNS STRATEGIES="default random pct pos" "$targets/race.sh" "${correct[@]}" >"$work/silent"
grep -h '^FAIL' "$work/found" "$work/silent"
tail -qn 1 "$work/found" "$work/silent"
passed=$(cat "$work/found" "$work/silent" | grep -c '^ok ')
failed=$(cat "$work/found" "$work/silent" | grep -c '^FAIL ')

header() { sed -n "1,12s/^ \* $2: *//p" "$1" | head -n 1; }

# reports PROGRAM: in how many of TSAN_RUNS runs TSan reports a race
reports() {
    local n=0 i
    for i in $(seq "$TSAN_RUNS"); do
        TSAN_OPTIONS="exitcode=66" timeout 10 setarch -R "$1" >/dev/null 2>&1
        [ $? != 66 ] || n=$((n + 1))
    done
    echo "$n"
}

printf '%-24s %-14s %-8s %s\n' program class Heddle "TSan, of $TSAN_RUNS runs"
n_heddle=0 n_tsan=0 n_lucky=0
for name in "${names[@]}"; do
    file=$targets/race/$name
    $(header "$file" build) -I "$here/../../include" -o "$work/prog" "$file" 2>/dev/null || { bad "$name does not build"; continue; }
    tsan=$(reports "$work/prog")
    is=no
    if [ "$(header "$file" races)" = none ]; then
        grep -q "^ok    $name " "$work/silent" || is=yes
        [ "$tsan" = 0 ] || n_lucky=$((n_lucky + 1))
    else
        ! grep -q "^ok    $name " "$work/found" || is=yes
        [ $is = no ] || n_heddle=$((n_heddle + 1))
        [ "$tsan" = 0 ] || n_tsan=$((n_tsan + 1))
        [ $is = yes ] || [ "$tsan" = 0 ] || bad "$name: TSan has it, Heddle has not"
    fi
    printf '%-24s %-14s %-8s %s\n' "$name" "$(header "$file" class)" "$is" "$tsan"
done
echo "racy programs reported: Heddle $n_heddle, TSan $n_tsan; correct ones that TSan reports: $n_lucky"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
