/* An account is overdrawn at the end of the day
 * cause: the balance is looked at and changed in two sections of a ticket lock in assembly
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 4000 deposits and withdrawals of each of two threads
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#ifndef WARM
#define WARM 4000
#endif

/* A library would be compiled without instrumentation. */
static struct ticket {
    int next, now;
} ticket;
__attribute__((no_sanitize("thread"), noinline)) static void ticket_lock(struct ticket *l)
{
    int mine = 1;
    __asm__ volatile("lock xaddl %0, %1" : "+r"(mine), "+m"(l->next) : : "memory");
    while (__atomic_load_n(&l->now, __ATOMIC_ACQUIRE) != mine)
        sched_yield();
}
__attribute__((no_sanitize("thread"), noinline)) static void ticket_unlock(struct ticket *l)
{
    __asm__ volatile("addl $1, %0" : "+m"(l->now) : : "memory");
}

static volatile long balance = 100;

static void add(long n)
{
    ticket_lock(&ticket);
    balance += n;
    ticket_unlock(&ticket);
}

static void *teller(void *arg)
{
    for (long i = 0; i < WARM; i++) {
        add(5);
        add(-5);
    }
    ticket_lock(&ticket);
    long has = balance;
    ticket_unlock(&ticket);
    if (has >= 100) /* BUG */
        add(-100);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, teller, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(balance >= 0);
    return 0;
}
