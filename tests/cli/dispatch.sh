#!/usr/bin/env bash
# Code that waits by futex(2) without libc (OpenMP, locks in assembly) is under control: its
# bugs are found, correct programs are silent, runs replay also with coverage.
. "$(dirname "$0")/lib.bash"

cat >lock.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long futex(atomic_int *word, int op, int value)
{
    long r;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(202L), "D"(word), "S"((long)op), "d"((long)value), "r"(timeout)
                     : "rcx", "r11", "memory");
    return r;
}

static atomic_int word; /* 0 free, 1 taken, 2 taken and somebody may wait */
static int counter;
static int is_lost, is_blocked;

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
    while (atomic_exchange(&word, is_lost ? 1 : 2))
        futex(&word, 128, is_lost ? 1 : 2);
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        futex(&word, 129, 1);
}

static void *worker(void *arg)
{
    sigset_t all;
    sigfillset(&all);
    if (is_blocked)
        pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; i < 3; i++) {
        lock();
        counter++;
        unlock();
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    is_lost = argc > 1 && !strcmp(argv[1], "lost");
    is_blocked = argc > 1 && !strcmp(argv[1], "blocked");
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    if (argc > 1 && !strcmp(argv[1], "fork")) {
        pid_t child = fork();
        if (!child) {
            atomic_int mine = 1;
            _exit(futex(&mine, 128, 2) != -11); /* EAGAIN: another value */
        }
        int status;
        waitpid(child, &status, 0);
        assert(status == 0);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(counter == 9);
    return 0;
}
END
build lock -O1
for how in plain blocked fork; do # threads that block all signals; a child with calls of its own
    heddle test -q --strategy random --runs 60 --seed 1 --json r.json -- ./lock $how
    expect 0 "a lock in assembly, $how"
done
heddle test -q --strategy random --runs 60 --seed 1 --json r.json -- ./lock plain
check "... is controlled" jq -e '.uncontrolled == 0 and .points / .runs > 10' r.json
heddle test -q --strategy random --runs 200 --seed 1 --no-minimize -- ./lock lost
expect 66 "a waiter that nobody counts"
check "... is a deadlock on the word" grep -q 'waits (futex) on .word' out

# The library's own waiting for threads is controlled, too.
cat >sum.c <<'END'
#include <assert.h>
#include <omp.h>
int main(int argc, char **argv)
{
    int n = 0;
    omp_set_num_threads(3);
#pragma omp parallel
    {
        if (argc > 1) {
#pragma omp critical
            n++;
        } else {
            n++;
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            n += 10;
    }
    assert(n == 13);
    return 0;
}
END
if gcc -g -O1 -fsanitize=thread -fopenmp sum.c -o sum 2>/dev/null; then
    heddle test -q --runs 200 --seed 1 --no-minimize -- ./sum
    expect 66 "a sum without a critical section"
    heddle test -q --strategy random --runs 100 --seed 1 --json r.json -- ./sum critical
    expect 0 "... and with one"
    check "... is controlled" jq -e '.uncontrolled == 0' r.json
    for seed in 1 2 3 4 5; do
        heddle run --seed $seed -- ./sum critical
        heddle replay --coverage all .heddle/last.heddle
        expect 0 "run $seed replays with coverage"
    done
fi
finish
