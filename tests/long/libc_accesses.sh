#!/usr/bin/env bash
# libc_accesses.sh: for each function of libc that fills or reads memory of its caller, a small program
# in which it races with another thread: does Heddle report it, does gcc's TSan?
#
#   HEDDLE=path/to/heddle tests/long/libc_accesses.sh [NAME...]      all rows of libc_accesses.txt, or these
#
# A row is NAME|globals|before the threads|call|what the other thread does. One line for each row, then
# who has how many. Fails where TSan reports a race between the two lines and Heddle does not.
# Environment: SHARD=2/8 (a part of the rows), KEEP (a folder: results are kept there, and rows of the
# same text and the same tool are not run again), RUNS (10, of Heddle), TSAN_RUNS (5).
set -u
unset HEDDLE_OPTIONS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEDDLE:=$here/../../build/bin/heddle}" "${RUNS:=10}" "${TSAN_RUNS:=5}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${KEEP:=$work/keep}"
mkdir -p "$KEEP"
tool=$(cat "$HEDDLE" "$(dirname "$HEDDLE")/../lib/heddle/libtsan.so.2" | cksum)

# program ROW: its text; both threads do all they do on a line of their own
program() {
    local row=${1//\\|/@OR@} name globals before call touch
    IFS='|' read -r name globals before call touch <<<"$row"
    globals=${globals//@OR@/|} before=${before//@OR@/|}
    cat "$here/libc_accesses.h"
    cat <<END
$globals
static volatile long out_call, out_touch;
static void *call(void *arg)
{
    $(sed 's/\bout\b/out_call/g' <<<"$call") /* R1 */
    return arg;
}
static void *touch(void *arg)
{
    $(sed 's/\bout\b/out_touch/g' <<<"$touch") /* R2 */
    return arg;
}
int main(void)
{
    pthread_t thread_1, thread_2;
    $before
    pthread_create(&thread_1, NULL, call, NULL);
    pthread_create(&thread_2, NULL, touch, NULL);
    pthread_join(thread_1, NULL);
    pthread_join(thread_2, NULL);
    return 0;
}
END
}

# has_heddle LINE LINE, has_tsan LINE LINE: is a race between the two reported?
has_heddle() {
    rm -rf "$work/state" "$work/json"
    "$HEDDLE" races -q --seed 1 --runs "$RUNS" --dir "$work/state" --json "$work/json" -- "$work/prog" \
        >"$work/out" 2>"$work/err" </dev/null
    if jq -e --argjson lines "[$1,$2]" '.findings | any(.race and ([.race.accesses[].line] | sort) == $lines)' \
        "$work/json" >/dev/null 2>&1; then
        echo yes
    elif [ -s "$work/json" ]; then
        jq -r 'if .findings == [] then "no" else "no:" + (.findings[0].id) end' "$work/json"
    else
        echo "no:$(tail -n 1 "$work/err" | tr ' ' '_')"
    fi
}
has_tsan() {
    local i
    for i in $(seq "$TSAN_RUNS"); do
        TSAN_OPTIONS="exitcode=66" timeout 10 setarch -R "$work/prog" >/dev/null 2>"$work/tsan" </dev/null
        grep -q "prog.c:$1 " "$work/tsan" && grep -q "prog.c:$2 " "$work/tsan" && { echo yes; return; }
    done
    echo no
}

failed=0 n=0 both=0 by_heddle=0 by_tsan=0
while IFS= read -r row; do
    name=${row%%|*}
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    n=$((n + 1))
    [ -z "${SHARD:-}" ] || [ $((n % ${SHARD#*/})) = $((${SHARD%/*} - 1)) ] || continue
    key="$(cksum <<<"$row") $tool $RUNS $TSAN_RUNS"
    if [ "$(head -n 1 "$KEEP/$name" 2>/dev/null)" != "$key" ]; then
        program "$row" >"$work/prog.c"
        gcc -g -O1 -w -fno-builtin -fsanitize=thread -o "$work/prog" "$work/prog.c" -lm -lresolv -lcrypt 2>"$work/build.log" ||
            { echo "FAIL  $name does not build: $(grep -m 1 error "$work/build.log")"; failed=$((failed + 1)); continue; }
        lines=$(grep -n '/\* R[12] \*/' "$work/prog.c" | cut -d: -f1)
        { echo "$key"; has_heddle $lines; has_tsan $lines; } >"$KEEP/.new"
        mv "$KEEP/.new" "$KEEP/$name"
    fi
    { read -r _; read -r heddle; read -r tsan; } <"$KEEP/$name"
    printf '%-34s Heddle %-6s TSan %s\n' "$name" "$heddle" "$tsan"
    [ "$heddle" != yes ] || by_heddle=$((by_heddle + 1))
    [ "$tsan" != yes ] || by_tsan=$((by_tsan + 1))
    [ "$heddle $tsan" != "yes yes" ] || both=$((both + 1))
    [ "$heddle" = yes ] || [ "$tsan" = no ] || { echo "FAIL  $name: TSan has it, Heddle has not"; failed=$((failed + 1)); }
done <"$here/libc_accesses.txt"
echo "reported: Heddle $by_heddle, TSan $by_tsan, both $both; $failed failed"
[ "$failed" = 0 ]
