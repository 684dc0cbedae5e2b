#!/usr/bin/env bash
# `heddle test --reproduce` measured. Twelve programs of tests/target/buggy (the first six that fail an
# assertion and the first six that crash, by name; ALL=1: all of them) are run by themselves, shaken by
# random waits (shaken.c) and eight at a time, until they fail once. Given only the message or the stack
# that this left, the same failure must come in at most the runs that the plain default needs, in the
# median over programs and seeds. Of programs with two bugs, the right one each time.
#   SEEDS="1 2 3" RUNS=2000
set -u
HEDDLE=$(readlink -f "${HEDDLE:?set HEDDLE to the heddle command}")
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SEEDS:=1 2 3}" "${RUNS:=2000}" "${ALL:=0}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
result() { # result OK? "what"
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $2"; fi
}
gcc -O1 -g -c "$ROOT/tests/long/shaken.c" -o shaken.o || exit 1

# make_log NAME ARGS...: one failing run by itself; what it printed becomes NAME.log.
make_log() {
    local name=$1 i status end=$((SECONDS + 30))
    shift
    gcc -g -O1 -fsanitize=thread -c "$name.c" -o "$name.o" &&
        gcc -no-pie "$name.o" shaken.o -o "$name.shaken" -lm -lpthread || return 1
    while [ $SECONDS -lt $end ] && [ ! -s "$name.log" ]; do
        local pids=()
        for i in 1 2 3 4 5 6 7 8; do
            timeout 3 "./$name.shaken" "$@" >/dev/null 2>"said.$i" </dev/null &
            pids[i]=$!
        done
        for i in 1 2 3 4 5 6 7 8; do
            wait "${pids[i]}" 2>/dev/null
            status=$?
            [ $status -ge 128 ] && [ -s "said.$i" ] && cp "said.$i" "$name.log"
        done
    done 2>/dev/null
    grep -q '^#0' "$name.log" 2>/dev/null && name_frames "$name"
    [ -s "$name.log" ]
}
# Addresses of a stack become what gdb prints.
name_frames() {
    while read -r number at rest; do
        case $number in
        '#'*) addr2line -f -e "$1.shaken" "$at" | { read -r f; read -r where; [ "$f" = '??' ] ||
            echo "$number  $at in $f () at ${where%% *}"; } ;;
        *) echo "$number $at $rest" ;;
        esac
    done <"$1.log" >named
    mv named "$1.log"
}
# runs JSON: until the finding that ended the campaign; RUNS if there was none.
runs() { jq -r --argjson most "$RUNS" '[.findings[] | select(.remark | not) | .runs_until] | max // $most' "$1"; }
median() { sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# ---- as soon as the default finds it? --------------------------------------------------------

chosen() { # chosen KIND HOW_MANY: names of programs
    grep -l "^ \* expect: *$1" "$ROOT"/tests/target/buggy/*.c | while read -r f; do
        n=$(basename "$f" .c)
        cp "$f" .
        # shellcheck disable=SC2046
        make_log "$n" $(sed -n 's/^ \* args: *//p' "$f") >/dev/null 2>&1 && echo "$n"
    done | head -n "$2"
}
most=6
[ "$ALL" = 0 ] || most=100
programs=$(chosen assert $most; chosen signal $most)
printf '%-20s %8s %10s\n' program plain reproduce
for n in $programs; do
    args=$(sed -n 's/^ \* args: *//p' "$n.c")
    gcc -g -O1 -fsanitize=thread "$n.c" -o "$n" -lm || exit 1
    : >"$n.plain"
    : >"$n.aimed"
    for seed in $SEEDS; do
        # shellcheck disable=SC2086
        "$HEDDLE" test -q --no-race --no-minimize --no-memory --dir d.plain --seed "$seed" --runs "$RUNS" --json p.json -- "./$n" $args >/dev/null 2>&1
        # shellcheck disable=SC2086
        "$HEDDLE" test -q --no-race --no-minimize --no-memory --dir d.aimed --seed "$seed" --runs "$RUNS" --json a.json --reproduce "$n.log" -- "./$n" $args >/dev/null 2>&1
        [ $? = 66 ]
        result $? "$n, seed $seed: $(grep -m1 -E 'Assertion|^#0' "$n.log") was not brought about"
        runs p.json >>"$n.plain"
        runs a.json >>"$n.aimed"
        rm -rf d.plain d.aimed
    done
    printf '%-20s %8s %10s\n' "$n" "$(median <"$n.plain")" "$(median <"$n.aimed")"
done
count=$(wc -w <<<"$programs")
[ "$count" -ge 12 ]
result $? "only $count programs failed by themselves"
plain=$(cat ./*.plain | median) aimed=$(cat ./*.aimed | median)
echo "median over $count programs and seeds $SEEDS: plain $plain runs, --reproduce $aimed"
awk -v a="$aimed" -v p="$plain" 'BEGIN {exit !(a <= p)}'
result $? "--reproduce needs more runs than the default: $aimed, $plain"

# ---- the right one of two ------------------------------------------------------------------------

cat >two_asserts.c <<'C'
#include <assert.h>
#include <pthread.h>
static int hits, misses;
static void count_hit(void) { hits++; }
static void count_miss(void) { misses++; }
static void *work(void *arg) { count_hit(); count_miss(); return arg; }
static void check_misses(void) { assert(misses == 2); }
static void check_hits(void) { assert(hits == 2); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    check_misses();
    check_hits();
    return 0;
}
C
cat >assert_or_crash.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *volatile slot;
static volatile int users;
static void use(void) { *slot += 1; }
static void leave(void) { assert(users > 0); users--; }
static void *worker(void *arg)
{
    users++;
    use();
    leave();
    return arg;
}
int main(void)
{
    static int value;
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    slot = &value;
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
cat >two_crashes.c <<'C'
#include <pthread.h>
struct node { struct node *next; int value; };
static struct node one = {0, 1}, *volatile head, *volatile tail;
static int first(void) { return head->value; }
static int last(void) { return tail->value; }
static void *reader(void *arg)
{
    int n = arg ? first() : last();
    return n ? arg : 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, reader, &one);
    pthread_create(&b, 0, reader, 0);
    head = &one;
    tail = &one;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
right() { # right PROGRAM "what the log has" "what the sentence must have": with each seed
    gcc -g -O1 -fsanitize=thread "$1.c" -o "$1" || exit 1
    printf '%s\n' "$2" >wanted.log
    for seed in $SEEDS; do
        "$HEDDLE" test -q --no-race --no-minimize --no-memory --dir d --seed "$seed" --runs "$RUNS" --reproduce wanted.log -- "./$1" >said 2>&1
        [ $? = 66 ] && [ "$(grep -c '^FINDING' said)" = 1 ] && tr '\n' ' ' <said | grep -Eq "$3"
        result $? "$1, seed $seed: not '$3'"
        rm -rf d
    done
}
right two_asserts "two_asserts: two_asserts.c:8: check_hits: Assertion \`hits == 2' failed." 'assertion `hits == 2`'
right two_asserts "two_asserts: two_asserts.c:7: check_misses: Assertion \`misses == 2' failed." 'assertion `misses == 2`'
right assert_or_crash "x: assert_or_crash.c:7: leave: Assertion \`users > 0' failed." 'assertion `users > 0`'
right assert_or_crash "#0  0x00001 in use () at assert_or_crash.c:6
Program terminated with signal SIGSEGV" 'in use\(\)'
right two_crashes "#0  first () at two_crashes.c:4
#1  reader (arg=0x1) at two_crashes.c:8
Segmentation fault" 'in first\(\)'
right two_crashes "#0  last () at two_crashes.c:5
#1  reader (arg=0x0) at two_crashes.c:8
Segmentation fault" 'in last\(\)'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
