#!/usr/bin/env bash
# Budgets, workers, exit statuses, input, output, several findings.
. "$(dirname "$0")/lib.bash"
correct_c

heddle test --runs 100 -- ./correct
expect 0 "a correct program" " 100 runs in .*0 findings"
check "nothing is printed on stdout" test ! -s out
check "nothing is saved" test ! -e .heddle/findings
heddle test --runs 100 -j 2 -- ./correct
expect 0 "two workers" " 100 runs in"
heddle test --time 1s -- ./correct
expect 0 "a time budget" "runs in 1\.[0-9] s"
heddle test -q --runs 20 -- ./correct
expect 0 "quiet"
check "quiet says nothing" test ! -s err
heddle test --runs 20 -- ./correct x
expect 66 "an exit status" "[Ee]xit"
heddle test --runs 20 --exit-ok 3 -- ./correct x
expect 0 "an exit status that is fine" " 20 runs in"
for s in $(sed -n 's/^HD_STRATEGY(\(.*\))/\1/p' "$ROOT/src/strategy/strategy.def"); do
    heddle test --runs 30 --strategy "$s" -- ./correct
    expect 0 "strategy $s" "strategy $s"
done
heddle test --runs 20 --no-filter --no-pin -- ./correct
expect 0 "--no-filter --no-pin"

cat >two.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int turn;
static void *f(void *arg)
{
    if (turn == 1)
        abort();
    turn = 2;
    return arg;
}
static void *g(void *arg)
{
    if (turn == 2)
        exit(5);
    turn = 1;
    return arg;
}
int main(void)
{
    char word[32] = "";
    if (!fgets(word, sizeof word, stdin) || strcmp(word, "hello\n"))
        return 9;
    puts("got it");
    fflush(stdout);
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, g, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
build two
echo hello | timeout 120 "$HEDDLE" test --runs 200 --keep-going -- ./two >out 2>err
rc=$?
expect 66 "--keep-going" " 200 runs in .*2 findings"
check "both are saved" test "$(find .heddle/findings -name replay.heddle | wc -l)" -ge 2
check "input is saved" grep -q hello .heddle/findings/latest/stdin
check "output is saved" grep -q "got it" .heddle/findings/latest/stdout.txt
heddle replay .heddle/findings/latest/replay.heddle </dev/null
expect 66 "the replay gets the recorded input"
echo hello | timeout 120 "$HEDDLE" test --runs 3 --show-output --exit-ok 5 -- ./two >out 2>err
check "--show-output" grep -q "got it" out

heddle run --seed 3 --dir d -- ./correct
expect 0 "run" "the run was clean: 3 threads"
heddle replay d/last.heddle
expect 0 "replay of a clean run" "ran as recorded"
racy_c
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    heddle run --seed $seed --no-filter --dir d -- ./racy
    [ $rc = 66 ] && break
done
expect 66 "run shows a failure" "FINDING"
heddle replay d/last.heddle
expect 66 "and its schedule fails again"
finish
