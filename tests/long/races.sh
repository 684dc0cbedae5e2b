#!/usr/bin/env bash
# races.sh: the programs about races at length, and beside ThreadSanitizer.
#
#   HEDDLE=path/to/heddle tests/long/races.sh [NAME...]     all programs, or these
#   SHARD=2/8 tests/long/races.sh                           the second of eight parts
#   KEEP=DIR SIDES=tsan tests/long/races.sh                 one side; what is done is kept in DIR
#
# 1. Heddle: every labelled pair is reported and replays 20 times; correct programs are silent in
#    RUNS (1000) runs under each of random, pct, pos and the default
# 2. the same programs under the compiler's own TSan, TSAN_RUNS (50) runs each
# Then a table of who reports what. Fails where TSan reports a pair that Heddle does not, unless the
# program's header says why it is none (`tsan: T1-R2, ordered by the queue`).
#
# With KEEP each program's results are written when they are there and taken from there the next time,
# as long as the program, the numbers of runs and (on Heddle's side) the tool are the same: a bench that
# was interrupted goes on, and pieces (names, shards, SIDES) make one table in the end (SIDES=).
# The table has the programs that have both sides. Environment: also JOBS (2), programs at a time.
set -u
unset HEDDLE_OPTIONS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export targets=$here/../target INCLUDE=$here/../../include
: "${HEDDLE:=$here/../../build/bin/heddle}" "${RUNS:=1000}" "${TSAN_RUNS:=50}" "${SIDES=heddle tsan}" "${JOBS:=2}"
export HEDDLE RUNS TSAN_RUNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KEEP=${KEEP:-$work/keep}
mkdir -p "$KEEP"
KEEP=$(realpath "$KEEP")

# The programs of this part.
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(cd "$targets/race" && ls -- *.c *.cc)
if [ -n "${SHARD:-}" ]; then
    all=("${names[@]}") names=()
    for i in "${!all[@]}"; do
        [ $((i % ${SHARD#*/})) != $((${SHARD%/*} - 1)) ] || names+=("${all[i]}")
    done
fi

header() { sed -n "1,12s/^ \* $2: *//p" "$1" | head -n 1; }

# key SIDE FILE: what a result depends on
key() {
    case $1 in
    heddle) cat "$2" "$targets/race/threads.h" "$HEDDLE" "$(dirname "$HEDDLE")"/../lib/heddle/libtsan.so.2 2>/dev/null ;;
    tsan) cat "$2" "$targets/race/threads.h" ;;
    esac | cksum | tr '\n' ' '
    [ "$1" = tsan ] && echo "$TSAN_RUNS" || echo "$RUNS"
}

# The two lines of each report on standard input, smaller first: of each stack the first frame in FILE.
pairs_of_tsan() {
    awk -v file="$1:" '
        /^WARNING: ThreadSanitizer/ { n = 0; open = 0 }
        /^  (Previous )?(atomic )?(read|write|Read|Write|Atomic)/ || /^  Previous atomic/ { open = 1 }
        /^$/ || /^  (Location|Thread|Mutex|As if)/ { open = 0 }
        open && (at = index($0, file)) && $1 ~ /^#/ { line[++n] = substr($0, at + length(file)) + 0; open = 0 }
        /^SUMMARY/ && n == 2 { print line[1] < line[2] ? line[1] " " line[2] : line[2] " " line[1] }'
}

# one_side SIDE NAME: the results of a program, unless they are there: the key, then
#   heddle: the line of race.sh      tsan: in how many runs a race was reported, then the pairs
one_side() {
    local side=$1 name=$2 file=$targets/race/$2 kept=$KEEP/$2.$1 build tmp i n=0
    [ "$(head -n 1 "$kept" 2>/dev/null)" != "$(key "$side" "$file")" ] || return 0
    tmp=$(mktemp -d)
    key "$side" "$file" >"$tmp/kept"
    if [ "$side" = heddle ]; then
        [ "$(header "$file" races)" = none ] || local RUNS=20
        REPLAYS=20 STRATEGIES="default random pct pos" JOBS=1 "$targets/race.sh" "$name" | head -n 1 >>"$tmp/kept"
        tail -n 1 "$tmp/kept"
    elif build=$(header "$file" build) && ${build/-shared-libsan/} -I "$INCLUDE" -o "$tmp/prog" "$file" 2>/dev/null; then
        for i in $(seq "$TSAN_RUNS"); do
            timeout 10 setarch -R "$tmp/prog" >/dev/null 2>"$tmp/out"
            ! grep -q '^WARNING: ThreadSanitizer' "$tmp/out" || n=$((n + 1))
            pairs_of_tsan "$name" <"$tmp/out" >>"$tmp/pairs"
        done
        echo "$n" >>"$tmp/kept"
        sort -u "$tmp/pairs" >>"$tmp/kept"
    else
        echo "does not build" >>"$tmp/kept"
    fi
    mv "$tmp/kept" "$kept"
    rm -rf "$tmp"
}
export -f header key pairs_of_tsan one_side

for side in $SIDES; do
    printf '%s\n' "${names[@]}" | xargs -P "$JOBS" -I{} bash -c "one_side $side {}"
done

failed=0 passed=0
bad() { echo "FAIL  $*"; failed=$((failed + 1)); }

# lines_of FILE KEY: the labelled pairs as lines, smaller first
lines_of() {
    local pair pairs a b
    pairs=$(header "$1" "$2")
    for pair in ${pairs%%,*}; do
        a=$(grep -n "/\* ${pair%-*} \*/" "$1" | head -n 1 | cut -d: -f1)
        b=$(grep -n "/\* ${pair#*-} \*/" "$1" | head -n 1 | cut -d: -f1)
        [ "$a" -le "$b" ] && echo "$a $b" || echo "$b $a"
    done
}

# Pairs of a program: those that Heddle has are the labelled ones, if it passed, and what else its line says.
count_pairs() {
    local file=$1
    if grep -q '^ok ' "$KEEP/$name.heddle"; then lines_of "$file" races; fi >"$work/heddle"
    n_heddle=$(sort -u "$work/heddle" | wc -l)
    sed 1d "$KEEP/$name.heddle" | tr ';' '\n' | sed -n 's/^\(.*  \)\?[a-z-]* \([0-9]* [0-9]*\) [0-9]* [0-9]*$/\2/p' >>"$work/heddle"
    sed 1,2d "$KEEP/$name.tsan" | sort -u >"$work/tsan"
    lines_of "$file" races | sort -u >"$work/labelled"
    n_tsan=$(comm -12 "$work/labelled" "$work/tsan" | wc -l)
    lines_of "$file" tsan >>"$work/heddle"
    lacking=$(sort -u "$work/heddle" | comm -13 - "$work/tsan" | tr ' \n' '- ')
}

printf '%-28s %-14s %-8s %-8s %s\n' program class Heddle TSan "TSan, of $TSAN_RUNS runs"
racy=0 by_heddle=0 by_tsan=0 pairs_heddle=0 pairs_tsan=0 luck_heddle=0 luck_tsan=0 accused=0
for name in "${names[@]}"; do
    file=$targets/race/$name
    for side in heddle tsan; do # what was kept of another program or tool is none
        [ "$(head -n 1 "$KEEP/$name.$side" 2>/dev/null)" = "$(key "$side" "$file")" ] || rm -f "$KEEP/$name.$side"
    done
    [ -e "$KEEP/$name.heddle" ] || [ -e "$KEEP/$name.tsan" ] || continue
    [ ! -e "$KEEP/$name.heddle" ] || { grep -q '^ok ' "$KEEP/$name.heddle" && passed=$((passed + 1)) || bad "$(sed 1d "$KEEP/$name.heddle")"; }
    [ -e "$KEEP/$name.heddle" ] && [ -e "$KEEP/$name.tsan" ] || continue
    runs=$(sed -n 2p "$KEEP/$name.tsan")
    [ "$runs" != "does not build" ] || { bad "$name does not build"; continue; }
    if [ "$(header "$file" races)" = none ]; then
        [ "$runs" = 0 ] || accused=$((accused + 1))
        printf '%-28s %-14s %-8s %-8s %s\n' "$name" none "" "" "$runs"
        continue
    fi
    count_pairs "$file"
    printf '%-28s %-14s %-8s %-8s %s\n' "$name" "$(header "$file" class)" "$n_heddle" "$n_tsan" "$runs"
    [ -z "$lacking" ] || bad "$name: pairs that TSan has and Heddle has not: $lacking"
    racy=$((racy + 1))
    ! grep -q '^ok ' "$KEEP/$name.heddle" || by_heddle=$((by_heddle + 1))
    [ "$runs" = 0 ] || by_tsan=$((by_tsan + 1))
    pairs_heddle=$((pairs_heddle + n_heddle)) pairs_tsan=$((pairs_tsan + n_tsan))
    if [ "$runs" -lt "$TSAN_RUNS" ]; then
        luck_heddle=$((luck_heddle + n_heddle)) luck_tsan=$((luck_tsan + n_tsan))
    fi
done
echo "of $racy racy programs reported: Heddle $by_heddle, TSan $by_tsan; correct ones that TSan reports: $accused"
echo "labelled pairs: Heddle $pairs_heddle, TSan $pairs_tsan; where not every run of TSan reports a race: Heddle $luck_heddle, TSan $luck_tsan"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
