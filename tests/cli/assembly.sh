#!/usr/bin/env bash
# Locks that programs make of atomic instructions in assembly (runtime/asm): a bug between two of their
# sections is found and replayed; correct programs are not accused, are under control at every step,
# and their instructions do what they do otherwise.
. "$(dirname "$0")/lib.bash"
export HEDDLE_OPTIONS=--verbose # races are looked for

cat >two.h <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int exchange(volatile int *at, int value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at)::"memory");
    return value;
}
static int compare_exchange(volatile int *at, int expected, int value)
{
    __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(expected), "+m"(*at) : "r"(value) : "memory", "cc");
    return expected;
}
static int fetch_add(volatile int *at, int value)
{
    __asm__ volatile("lock xaddl %0, %1" : "+r"(value), "+m"(*at)::"memory", "cc");
    return value;
}
static int load(volatile int *at)
{
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}
static void store(volatile int *at, int value) { __asm__ volatile("movl %1, %0" : "=m"(*at) : "r"(value) : "memory"); }
static void relax(void) { __asm__ volatile("pause" ::: "memory"); }
static void *work(void *arg);
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    extern int right(void);
    assert(right());
    return 0;
}
END
# what both threads do under the lock, and whether it came out right
cat >counts.h <<'END'
static int n, order[16];
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        lock();
        order[n++] = (int)(long)arg;
        unlock();
    }
    return arg;
}
int right(void) { return n == 6; }
END

# ---- a bug -----------------------------------------------------------------------------
cat >lost.c <<'END'
#include "two.h"
static volatile int word;
static void lock(void)
{
    while (exchange(&word, 1))
        relax();
}
static void unlock(void) { store(&word, 0); }
static int balance = 100;
static void *work(void *arg)
{
    lock();
    int seen = balance;
    unlock();
    lock();
    balance = seen + 10;
    unlock();
    return arg;
}
int right(void) { return balance == 120; }
END
build lost -O1
heddle test --seed 1 --runs 50 -- ./lost
expect 66 "an update lost between two sections of a lock in assembly" 'right\(\).* failed in T0'
heddle replay .heddle/findings/latest/replay.heddle --times 5
expect 66 "... is replayed" "5 of 5|5 times|every time"
if command -v gdb >/dev/null; then
    printf 'run\ncontinue\nbt\nkill\nquit\n' | timeout 60 "$HEDDLE" replay --gdb .heddle/findings/latest/replay.heddle >out 2>&1
    check "... and gdb stops where it fails" grep -q 'main.*lost.c\|__assert_fail' out
    check "... not where instructions are served" bash -c '! grep -q SIGILL out'
fi

# ---- correct locks ---------------------------------------------------------------------
cat >try.c <<'END'
#include "two.h"
static volatile int word;
static void lock(void)
{
    for (;;) {
        if (!compare_exchange(&word, 0, 1))
            return;
        while (load(&word))
            relax();
    }
}
static void unlock(void) { word = 0; } /* as old programs do */
#include "counts.h"
END
cat >ticket.c <<'END'
#include "two.h"
static volatile int next, owner;
static void lock(void)
{
    int mine = fetch_add(&next, 1);
    while (load(&owner) != mine)
        relax();
}
static void unlock(void) { store(&owner, load(&owner) + 1); }
#include "counts.h"
END
cat >queue.c <<'END'
#include "two.h"
struct node {
    struct node *volatile next;
    volatile int is_locked;
};
static struct node *volatile tail;
static __thread struct node *mine;
static struct node *swap(struct node *n)
{
    __asm__ volatile("xchgq %0, %1" : "+r"(n), "+m"(tail)::"memory");
    return n;
}
static int empty(struct node *n)
{
    struct node *was = n;
    __asm__ volatile("lock cmpxchgq %2, %1" : "+a"(was), "+m"(tail) : "r"((struct node *)0) : "memory", "cc");
    return was == n;
}
static void unlock(void)
{
    struct node *n = mine, *next;
    if (!n->next && empty(n))
        return;
    for (;;) {
        __asm__ volatile("movq %1, %0" : "=r"(next) : "m"(n->next) : "memory");
        if (next)
            break;
        relax();
    }
    store(&next->is_locked, 0);
}
static int n, order[16];
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        struct node here = {0, 1}; /* waits on its own stack */
        mine = &here;
        struct node *before = swap(&here);
        if (before) {
            __asm__ volatile("movq %1, %0" : "=m"(before->next) : "r"(&here) : "memory");
            while (load(&here.is_locked))
                relax();
        }
        order[n++] = (int)(long)arg;
        unlock();
    }
    return arg;
}
int right(void) { return n == 6; }
END
cat >barrier.c <<'END'
#include "two.h"
static volatile int arrived, round;
static int slot[2], bad;
static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 1; i < 4; i++) {
        __atomic_store_n(&slot[me], i, __ATOMIC_SEQ_CST);
        if (fetch_add(&arrived, 1) == 2 * i - 1)
            store(&round, i);
        else
            while (load(&round) != i)
                relax();
        int other = __atomic_load_n(&slot[!me], __ATOMIC_SEQ_CST);
        if (other != i && other != i + 1)
            __atomic_store_n(&bad, 1, __ATOMIC_SEQ_CST);
        fetch_add(&arrived, 0);
    }
    return arg;
}
int right(void) { return !bad; }
END
cat >peek.c <<'END'
#include "two.h"
static volatile int top;
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++)
        for (;;) {
            int seen = top; /* no assembly here: it is shared on purpose all the same */
            if (compare_exchange(&top, seen, seen + 1) == seen)
                break;
        }
    return arg;
}
int right(void) { return top == 6; }
END
for name in try ticket queue barrier peek; do
    for flags in -O2 -O0; do
        build $name $flags
        rm -rf .heddle
        heddle test --seed 1 --runs 60 -- ./$name
        expect 0 "$name, $flags: nothing to be found" "No failure"
        check "... with every step under control" bash -c '! grep -q "Not explored\|not controlled" err out'
        heddle run --seed 2 --strategy pct -- ./$name
        heddle replay .heddle/last.heddle
        expect 0 "... and replayed" "ran as recorded"
    done
done

# ---- instructions do what they do ------------------------------------------------------
cat >all.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
typedef unsigned long u64;
static u64 cell[8] __attribute__((aligned(64))), far[4];
static struct { unsigned char b[16]; } bytes;
static pthread_barrier_t both;
#define RUN(text, ...) __asm__ volatile(text : __VA_ARGS__ : "memory", "cc")
static void each(void)
{
    u64 a = 5, old = 1;
    cell[0] = 1;
    RUN("lock addq $41, %0", "+m"(cell[0]) :);
    assert(cell[0] == 42);
    RUN("lock subw $300, %0", "+m"(cell[0]) :);
    assert(cell[0] == 65536 + 42 - 300);
    cell[0] = 42;
    RUN("lock orb $1, %0\n\tlock xorl %k1, %0\n\tlock andq $0x7f, %0", "+m"(cell[0]) : "r"(a));
    assert(cell[0] == (43 ^ 5));
    RUN("lock incl %0\n\tlock decb %0\n\tlock negq %0\n\tlock notq %0", "+m"(cell[0]) :);
    assert(cell[0] == (43 ^ 5) - 1);
    RUN("stc\n\tlock adcq $0, %0\n\tstc\n\tlock sbbq $3, %0", "+m"(cell[0]) :);
    assert(cell[0] == (43 ^ 5) - 4);
    RUN("lock xaddq %1, %0", "+m"(cell[0]), "+r"(a) :);
    assert(cell[0] == (43 ^ 5) + 1 && a == (43 ^ 5) - 4);
    cell[1] = 1;
    RUN("lock cmpxchgq %2, %0", "+m"(cell[1]), "+a"(old) : "r"(7ul));
    assert(cell[1] == 7 && old == 1);
    RUN("lock cmpxchgq %2, %0", "+m"(cell[1]), "+a"(old) : "r"(9ul));
    assert(cell[1] == 7 && old == 7);
    u64 low = 1, high = 2;
    cell[2] = 1, cell[3] = 2;
    RUN("lock cmpxchg16b %0", "+m"(cell[2]), "+a"(low), "+d"(high) : "b"(3ul), "c"(4ul));
    assert(cell[2] == 3 && cell[3] == 4);
    unsigned char carry;
    RUN("lock btsq $70, %0\n\tsetc %1", "+m"(cell[4]), "=r"(carry) :); /* 70 & 63: an immediate stays inside */
    assert(cell[4] == 64 && !carry);
    RUN("lock btrq %2, %0\n\tsetc %1", "+m"(cell[4]), "=r"(carry) : "r"(6ul));
    assert(cell[4] == 0 && carry);
    RUN("lock btcq %1, %0", "+m"(cell[4]) : "r"(64ul + 3)); /* in the next word */
    assert(cell[4] == 0 && cell[5] == 8);
    a = 0x1234;
    RUN("xchgb %h1, %0", "+m"(bytes.b[3]), "+Q"(a) :); /* %ah and its kin */
    assert(bytes.b[3] == 0x12 && a == 0x34);
    u64 at = 2;
    RUN("lock addl $9, (%0,%1,8)", : "r"(far), "r"(at));
    RUN("lock incq far+16(%%rip)", :);
    assert(far[2] == 10);
    memset(&bytes, 0, sizeof bytes), memset(cell, 0, sizeof cell), memset(far, 0, sizeof far);
}
static void *wait(void *arg)
{
    pthread_barrier_wait(&both);
    return arg;
}
int main(void)
{
    pthread_t t;
    sigset_t all;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&t, 0, wait, 0);
    each();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    each();
    pthread_barrier_wait(&both);
    return pthread_join(t, 0);
}
END
for flags in -O2 -O0 "-O2 -no-pie" "-O2 -static-libgcc -Wl,-z,now"; do
    build all $flags
    rm -rf .heddle
    heddle test --runs 20 --seed 1 --no-race -- ./all
    expect 0 "all kinds of updates, $flags, also with every signal blocked" "0 findings"
done

# ---- faults ----------------------------------------------------------------------------
cat >fault.c <<'END'
#include <pthread.h>
static int *nowhere;
static void *work(void *arg)
{
    int *p = __atomic_load_n(&nowhere, __ATOMIC_RELAXED);
    __asm__ volatile("lock incl (%0)" ::"r"(p) : "memory"); /* line 6 */
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    return pthread_join(t, 0);
}
END
build fault -O1
rm -rf .heddle
heddle test --runs 5 -- ./fault
expect 66 "a fault of an update is told of its own line" "SIGSEGV.*fault.c:6"
cat >own.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static sigjmp_buf back;
static int word;
static void handle(int signo) { siglongjmp(back, signo); }
static void *work(void *arg)
{
    __asm__ volatile("lock incl %0" : "+m"(word)::"memory");
    return arg;
}
int main(void)
{
    pthread_t t;
    signal(SIGILL, handle);
    pthread_create(&t, 0, work, 0);
    if (!sigsetjmp(back, 1))
        __asm__ volatile("ud2");
    else
        __asm__ volatile("lock incl %0" : "+m"(word)::"memory");
    pthread_join(t, 0);
    return word != 2;
}
END
build own -O1
heddle test --runs 20 -- ./own
expect 0 "a program that handles its own illegal instructions" "0 findings"
finish
