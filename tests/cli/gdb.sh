#!/usr/bin/env bash
# Replay under gdb: the recorded run, stopped where it fails, more than once.
. "$(dirname "$0")/lib.bash"
if ! command -v gdb >/dev/null; then
    echo "ok 1 - skipped: no gdb"
    exit 0
fi
racy_c
heddle test --seed 1 --no-minimize -- ./racy
printf 'run\nbt\nprint counter\nrun\nbt\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "it stops at the failure, twice" test "$(grep -c 'received signal SIGABRT' out)" = 2
check "the stack reaches main" grep -Eq 'in main \(\) at .*racy.c' out
check "the lost update is visible" grep -Eq '= [0-5]$' out
printf 'break racy.c:17\nrun\nprint counter\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "breakpoints work" grep -Eq 'hit Breakpoint 2, main' out

# The walk of one access (docs/architecture.md): hops from the hook to the ring. Not on the
# stack are the hook, what is inline in it, and the slow path, which end in jumps.
printf 'set breakpoint pending on\nbreak hd_news_emit if ev->kind == 1\nrun\nbt\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
hops=$(awk '/^#[0-9]/ { if (/ add \(/) { print n + 3; exit } n++ }' out)
check "from the hook to the ring: ${hops:-no walk} hops, at most 12" test "${hops:-99}" -le 12

# A minimized schedule stops at the step that decides, in the program's own code.
cat >slots.c <<'END'
#include <assert.h>
#include <pthread.h>
static volatile int used = 1, taken[2];
static void *pop(void *arg)
{
    if (used > 0) {
        int i = used - 1;
        used = i;
        assert(i >= 0);
        taken[i]++;
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, pop, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
build slots
heddle test --seed 1 --strategy random -- ./slots
expect 66 "a check and an act are found"
report=.heddle/findings/latest/report.json
line=$(jq .decided.first.line $report)
old=$(jq -r .decided.first.old $report) new=$(jq -r .decided.first.new $report)
thread=$(jq .decided.first.tid $report)
check "the report has line and values" test "$line $old $new" = "8 1 0"
printf 'run\ninfo threads\nprint used\nnext\nprint used\nnext\nnext\ncontinue\nbt\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "it stops at the line that decides" grep -Eq "^$line.*used = i" out
check "in the thread of the report" grep -Eq "Thread [0-9]+ .*hit Temporary breakpoint.* pop " out
check "all threads are visible" test "$(grep -cE '^[* ] +[0-9]+ +Thread ' out)" = 3
check "the old value, then the new one" \
    test "$(grep -oE '\$[12] = [-0-9]+' out | tr '\n' ' ')" = "\$1 = $old \$2 = $new "
check "after stepping the schedule is the same" grep -q 'received signal SIGABRT' out
check "and the other thread fails" grep -Eq 'in pop .*slots.c:9' out
cat >deadlock.c <<'END'
#include <pthread.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *f(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&m[i]);
    pthread_mutex_lock(&m[1 - i]);
    pthread_mutex_unlock(&m[1 - i]);
    pthread_mutex_unlock(&m[i]);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, f, (void *)0);
    pthread_create(&b, 0, f, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
END
build deadlock
heddle test --seed 1 -- ./deadlock
expect 66 "a deadlock is found" "[Dd]eadlock"
printf 'run\ncontinue\nbt\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "gdb stops where the deadlock closes" grep -Eq 'in f \(arg=.*deadlock.c:[67]' out
# A thread whose only step is its start: there it is at the beginning of its function.
cat >starts.c <<'END'
#include <assert.h>
#include <pthread.h>
static int is_done;
static void *set(void *arg)
{
    is_done = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    pthread_join(t, 0);
    assert(!is_done);
    return 0;
}
END
build starts
rm -rf .heddle
heddle test --seed 1 -- ./starts
timeout 100 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle -- -batch -ex run -ex 'heddle at 2' >out 2>err
check "a start is a step to stop at" bash -c 'tr "\n" " " <out | grep -q "Step 2 of .*set (arg"'

finish
