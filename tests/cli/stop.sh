#!/usr/bin/env bash
# Time limits, Ctrl-C, killed heddle, programs that leave processes behind:
# whatever happens, nothing of the target survives.
. "$(dirname "$0")/lib.bash"

# Processes that run a file of this folder.
left() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c -- "-> $PWD/"; }
none_left() { for _ in $(seq 100); do [ "$(left)" = 0 ] && return 0; sleep 0.2; done; left; return 1; }

cat >stuck.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, nothing, 0);
    pthread_join(a, 0);
    for (volatile long i = 0;; i++)
        __asm__ volatile("");
}
END
gcc -g stuck.c -o stuck
heddle test --runs 5 --timeout 500ms -- ./stuck
expect 98 "a run over its time is inconclusive" "limit of time"
check "nothing is left after a timeout" none_left

correct_c
timeout 60 "$HEDDLE" test --time 60s -j 2 -- ./correct >out 2>err &
pid=$!
for _ in $(seq 600); do [ "$(left)" -gt 0 ] && break; sleep 0.1; done
sleep 0.5
pkill -INT -P $pid heddle
wait $pid
rc=$?
expect 98 "Ctrl-C ends with a summary" "interrupted after [0-9]+ runs"
check "nothing is left after Ctrl-C" none_left

"$HEDDLE" test --time 60s -j 2 -- ./correct >out 2>err &
pid=$!
for _ in $(seq 600); do [ "$(left)" -gt 0 ] && break; sleep 0.1; done
kill -KILL $pid
wait $pid 2>/dev/null
check "nothing is left after SIGKILL" none_left

cat >daemon.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, nothing, 0);
    pthread_create(&b, 0, nothing, 0);
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            sleep(1000);
        _exit(0);
    }
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
build daemon
heddle test --runs 5 -- ./daemon
expect 0 "a program that makes daemons" " 5 runs in"
check "no daemon is left" none_left

cat >killer.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, nothing, 0);
    pthread_join(a, 0);
    kill(getppid(), SIGKILL);
    return 0;
}
END
build killer
heddle test --runs 5 -- ./killer
expect 99 "a program that kills its parent" "server process ended twice"
check "nothing is left of it" none_left
finish
