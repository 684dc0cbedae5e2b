#!/usr/bin/env bash
# Signals that end the program: what a report says of who sent them, and a stack that is
# used up inside a call.
. "$(dirname "$0")/lib.bash"

cat >sent.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(int argc, char **argv)
{
    int signo = atoi(argv[1]);
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    if (argc > 2) {
        raise(signo);
        return 0;
    }
    pid_t parent = getpid();
    if (fork() == 0) {
        kill(parent, signo);
        _exit(0);
    }
    for (;;)
        usleep(1000);
}
END
build sent
for signo in 6 11 8 15; do
    heddle test -q --no-minimize --runs 3 --strategy random --dir d$signo -- ./sent $signo
    expect 66 "signal $signo of another process ends the program"
    check "and is not called abort() or a null pointer" \
        sh -c '! grep -Eq "called abort|null pointer|internal error" out'
done
check "it says who sent it" grep -rq "sent by another process" d6 d11 d8
heddle test -q --no-minimize --runs 3 --strategy random --dir own -- ./sent 11 raise
expect 66 "a signal of its own" "sent by the program itself"

cat >overflow.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long left;
static __attribute__((noinline)) void deep(char *end)
{
    volatile char here, *p = __builtin_alloca(&here - end - left);
    p[0] = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    p[1] = p[0];
}
static void *use_up(void *arg)
{
    pthread_attr_t a;
    void *end;
    size_t n;
    pthread_getattr_np(pthread_self(), &a);
    pthread_attr_getstack(&a, &end, &n);
    deep(end);
    return arg;
}
static void *nothing(void *arg) { return arg; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    left = atol(argv[1]);
    pthread_create(&t[0], NULL, use_up, NULL);
    pthread_create(&t[1], NULL, nothing, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
build overflow -O1 -w
for left in -4000 200 600; do
    heddle test -q --no-minimize --runs 2 --strategy random --dir o$left -- ./overflow $left
    expect 66 "a stack with $left bytes left: a finding" "SIGSEGV"
    check "not an internal error" sh -c '! grep -q "internal error" out err'
done
finish
