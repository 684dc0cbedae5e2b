#!/usr/bin/env bash
# What judges a run besides the program: --check, --expect-stdout, heddle_check().
. "$(dirname "$0")/lib.bash"
cat >sum.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int x;
static void *add(void *arg)
{
    int v = x;
    x = v + 1;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    FILE *to = fopen("result.txt", "w");
    fprintf(to, "%d\n", x);
    fclose(to);
    printf("begin\nsum %d\nend\n", x);
    return argc > 1 ? 3 : 0;
}
END
build sum
latest=.heddle/findings/latest

heddle test --seed 1 --runs 300 --json r.json \
    --check 'grep -qx 2 result.txt || { echo "the sum is $(cat result.txt)"; exit 4; }' -- ./sum
expect 66 "--check finds it" "check after the run failed: .grep.* ended with status 4: the sum is 1"
check "kind" test "$(jq -r '.findings[0].kind' r.json)" = check
check "it was replayed and judged again" jq -e '.findings[0] | .tried > 0 and .reproduced == .tried' r.json
check "the command is saved" grep -q result.txt $latest/check.sh
heddle replay --times 3 $latest/replay.heddle
expect 66 "replay runs the check" "failed as recorded, 3 of 3"
cp $latest/replay.heddle alone.heddle
heddle replay alone.heddle
expect 98 "without the command beside it" "give it with --check"
heddle replay --check 'grep -qx 2 result.txt' alone.heddle
expect 66 "the command may be given" "failed as recorded"
heddle test --seed 1 --runs 100 --check true -- ./sum
expect 0 "a check that is content" " 100 runs in"
heddle test --seed 1 --runs 20 --check true --exit-ok 3 -- ./sum x
expect 0 "a check after an exit status that is fine"
heddle test --seed 1 --runs 300 --exit-ok 3 --dir x --check 'grep -qx 2 result.txt' -- ./sum x
expect 66 "a check that fails after one" "check after the run failed"
heddle replay x/findings/latest/replay.heddle
expect 66 "and its replay" "failed as recorded"
heddle test --seed 1 --runs 100 --check no_such_command_here -- ./sum
expect 99 "a command that does not exist" "the check cannot be run: .no_such_command_here."
heddle test --seed 1 --runs 100 --no-minimize --timeout 500ms --check 'sleep 62.37' -- ./sum
expect 66 "a check that hangs" "did not end within 0.5 s"
check "is killed" bash -c '! pgrep -f "sleep 62[.]37"'
heddle test --seed 1 --runs 300 --no-minimize --check 'grep -q "sum 2" $HEDDLE_STDOUT' -- ./sum
expect 66 "the check can read what was printed"

printf 'begin\nsum 2\nend\n' >want
heddle test --seed 1 --runs 300 --json r.json --expect-stdout want -- ./sum
expect 66 "--expect-stdout" "output is not the one expected: line 2 should be .sum 2. and is .sum 1."
check "kind output" test "$(jq -r '.findings[0].kind' r.json)" = output
heddle replay --times 3 $latest/replay.heddle
expect 66 "replay compares the output" "failed as recorded, 3 of 3"
check "both have the same id" grep -q "FINDING $(jq -r '.findings[0].id' r.json)" out
printf 'begin\nsum 2\nend' >want
heddle test --seed 1 --runs 5 --no-minimize --expect-stdout want -- ./sum
expect 66 "a missing line end counts" "line 3 should be .end. without a line end and is .end."
: >want
heddle test --seed 1 --runs 5 --no-minimize --expect-stdout want -- ./sum
expect 66 "nothing expected" "line 1 should be the end and is .begin."
heddle test --expect-stdout nothing_here -- ./sum
expect 64 "a file that is not there" "cannot read the expected output nothing_here"
heddle test --expect-stdout want --show-output --seed 1 -- ./sum
expect 66 "together with --show-output"

cat >user.c <<'END'
#include <heddle/heddle.h>
#include <pthread.h>
static int x;
static void *add(void *arg)
{
    int v = x;
    heddle_point(&x);
    x = v + 1;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    heddle_check(x == 2, "both additions count"); /* @check */
    return heddle_is_on() ? 0 : 0;
}
END
build user -I"$ROOT/include"
heddle test --seed 1 --runs 300 --json r.json -- ./user
expect 66 "heddle_check()" \
    "check .both additions count. failed in T0 \(main\), at user.c:$(grep -n @check user.c | cut -d: -f1)"
check "kind check" test "$(jq -r '.findings[0].kind' r.json)" = check
heddle replay --times 3 $latest/replay.heddle
expect 66 "heddle_check() replays" "failed as recorded, 3 of 3"
gcc -g user.c -o plain -I"$ROOT/include" -lpthread
heddle test --seed 1 --runs 300 --no-minimize -- ./plain
expect 66 "heddle_point() works without instrumentation" "both additions count"
check "without Heddle it does nothing" ./plain
g++ -x c++ -fpermissive -w -fsyntax-only -I"$ROOT/include" user.c
check "the header is C++, too" test $? = 0
# Heap memory: silent by itself, a finding, and left alone with --no-heap.
cat >late.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *use(void *arg)
{
    shared[1]++;
    return arg;
}
int main(void)
{
    pthread_t t;
    shared = calloc(4, sizeof *shared);
    pthread_create(&t, 0, use, 0);
    free(shared);
    pthread_join(t, 0);
    return 0;
}
END
build late
heddle test --seed 1 --strategy random --runs 100 --dir h -- ./late
expect 66 "use after free" "of freed memory"
heddle test --seed 1 --strategy random --runs 100 --dir i --no-heap -- ./late
expect 0 "--no-heap leaves it alone" " 100 runs in"
heddle run --seed 1 --no-heap --dir j -- ./late
heddle replay j/last.heddle
expect 0 "a replay keeps --no-heap" "ran as recorded"
finish
