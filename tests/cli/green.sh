#!/usr/bin/env bash
# What a campaign without a finding says: in words, and nothing that was not looked at.
. "$(dirname "$0")/lib.bash"
export HEDDLE_OPTIONS=
correct_c
cat >relaxed.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int n, ready;
static int from[2];
static void *add(void *arg)
{
    char c;
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
    if (arg && read(from[0], &c, 1) == 1)
        atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    if (argc > 1) {
        if (pipe(from) || !fork()) {
            usleep(1000);
            return write(from[1], "x", 1) != 1;
        }
    }
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, argc > 1 ? &n : 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
build relaxed
sh -c 'gcc -g correct.c -o plain'

heddle test --runs 1200 --seed 1 -- ./correct
expect 0 "no failure, no race" "^heddle: testing .*heddle: No failure and no race in 1,200 runs of 3 threads \([0-9.]+ s\)\. heddle: Tested: all [0-9]+ orders"
expect 0 "an estimate" "More runs like the last 600 would hardly show anything new \(estimate: fewer than 1 in 600\)\."
check "nothing is left out" bash -c '! grep -q "Not explored" err'
check "no numbers of metrics" bash -c '! grep -Eq "iroot|covered|choices" err'
heddle test --runs 30 --seed 1 -v -- ./correct
expect 0 "-v: numbers as well" " 30 runs in .*: 0 findings.* covered: iroot .*No failure and no race in 30 runs"
expect 0 "what an earlier campaign tested is not new" "Tested: all [0-9]+ orders of events that seem possible, none of them new\."
heddle test --runs 30 --seed 1 -q -- ./correct
check "-q: nothing" test ! -s err
heddle test --runs 30 --seed 1 --no-race -- ./correct
expect 0 "races that nobody looked for are not ruled out" "No failure in 30 runs"
heddle test --runs 30 --seed 1 --coverage none --strategy random -- ./correct
expect 0 "nor orders that nobody counted" "No failure in 30 runs"
check "... nothing is said about them" bash -c '! grep -Eq "Tested|race" err'
heddle test --runs 30 --seed 1 --strategy random -- ./correct
expect 0 "what is possible is not known without prediction" "Tested: [0-9]+ orders of events, none of them new\."
heddle test --runs 30 --seed 1 -- ./plain
expect 0 "without instrumentation" "No failure in 30 runs.*Not explored: memory accesses \(the program is not built with -fsanitize=thread\)\."
heddle test --runs 30 --seed 1 -- ./relaxed
expect 0 "relaxed atomics" "Not explored: weak memory \(1 relaxed atomic\)\."
heddle test --runs 30 --seed 1 -- ./relaxed child
expect 0 "another process" "Not explored: weak memory \(1 relaxed atomic, 1 acquire or release\), what processes do that the program starts, input from another process\."
heddle test --runs 30 --seed 1 --json r.json -- ./relaxed
check "JSON has the words" jq -e '.summary | length >= 3 and .[-1] == "Not explored: weak memory (1 relaxed atomic)."' r.json
racy_c
heddle test --seed 1 --json r.json -- ./racy
expect 66 "with a finding" "heddle: 1 finding in [0-9]+ runs? of 3 threads \([0-9.]+ s\)"
check "... nothing is praised" bash -c '! grep -Eq "No failure|Tested" err'
check "... nor in JSON" jq -e ".summary == []" r.json
finish
