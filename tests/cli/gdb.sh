#!/usr/bin/env bash
# Replay under gdb: the recorded run, stopped where it fails, more than once.
. "$(dirname "$0")/lib.bash"
if ! command -v gdb >/dev/null; then
    echo "ok 1 - skipped: no gdb"
    exit 0
fi
racy_c
heddle test --seed 1 -- ./racy
printf 'run\nbt\nprint counter\nrun\nbt\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "it stops at the failure, twice" test "$(grep -c 'received signal SIGABRT' out)" = 2
check "the stack reaches main" grep -Eq 'in main \(\) at .*racy.c' out
check "the lost update is visible" grep -Eq '= [0-5]$' out
printf 'break racy.c:17\nrun\nprint counter\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "breakpoints work" grep -Eq 'hit Breakpoint 2, main' out
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
printf 'run\nbt\nkill\nquit\n' |
    timeout 120 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>err
check "gdb stops where the deadlock closes" grep -Eq 'in f \(arg=.*deadlock.c:[67]' out
finish
