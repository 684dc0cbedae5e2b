#!/usr/bin/env bash
# Programs that synchronize below pthread, or with a thousand threads: correct ones come to their
# end in a few seconds under every kind of strategy, and are replayed.
. "$(dirname "$0")/lib.bash"

cat >pausing.c <<'END'
#include <immintrin.h>
#include <pthread.h>
static int flag;
static void await(int value)
{
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != value)
        _mm_pause();
}
static void *answer(void *arg)
{
    for (int i = 0; i < 100; i++) {
        await(2 * i + 1);
        __atomic_store_n(&flag, 2 * i + 2, __ATOMIC_RELEASE);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, answer, 0);
    for (int i = 0; i < 100; i++) {
        __atomic_store_n(&flag, 2 * i + 1, __ATOMIC_RELEASE);
        await(2 * i + 2);
    }
    return pthread_join(t, 0);
}
END
# Three threads count under a lock of their own making.
cat >count.h <<'END'
#include <pthread.h>
static long n;
static void *count(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        lock();
        n++;
        unlock();
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return n != 3000;
}
END
cat >assembly.c <<'END'
static int word;
static void lock(void)
{
    for (int taken = 1; taken;) {
        __asm__ volatile("xchgl %0, %1\n\tpause" : "+r"(taken), "+m"(word)::"memory");
    }
}
static void unlock(void) { __asm__ volatile("movl $0, %0" : "=m"(word)::"memory"); }
#include "count.h"
END
cat >futex.c <<'END'
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int word; /* 0 free, 1 taken, 2 and somebody waits */
static void lock(void)
{
    int was = 0;
    if (atomic_compare_exchange_strong(&word, &was, 1))
        return;
    if (was != 2)
        was = atomic_exchange(&word, 2);
    while (was) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
        was = atomic_exchange(&word, 2);
    }
}
static void unlock(void)
{
    if (atomic_fetch_sub(&word, 1) != 1) {
        atomic_store(&word, 0);
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    }
}
#include "count.h"
END
cat >thousand.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *arg)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    static pthread_t t[1000];
    for (int i = 0; i < 1000; i++)
        pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 1000; i++)
        pthread_join(t[i], 0);
    return n != 1000;
}
END
for name in pausing assembly futex thousand; do
    build $name -O2
    for strategy in pct random; do
        heddle run --seed 1 --strategy $strategy --dir $name.$strategy -- ./$name
        expect 0 "$name, $strategy: comes to its end" "the run was clean"
        heddle replay $name.$strategy/last.heddle
        expect 0 "... and again" "ran as recorded"
    done
done
finish
