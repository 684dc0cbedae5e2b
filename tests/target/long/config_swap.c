/* A configuration is freed while a worker has just looked it up, after many requests
 * cause: the worker counts itself as a reader after it has loaded the pointer
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 15000 requests of each of two workers
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 15000
#endif

struct config {
    long timeout, limit;
};
static _Atomic(struct config *) current;
static atomic_long readers, served;

static long request(long i)
{
    struct config *c = atomic_load(&current);
    atomic_fetch_add(&readers, 1); /* BUG */
    long r = i < c->limit ? c->timeout : 0;
    atomic_fetch_sub(&readers, 1);
    return r;
}

static void *worker(void *arg)
{
    long sum = 0;
    for (long i = 0; i < WARM; i++) {
        sum += request(i);
        atomic_fetch_add(&served, 1);
    }
    sum += request(0);
    return (void *)sum;
}

static void reload(void)
{
    struct config *fresh = malloc(sizeof *fresh);
    fresh->timeout = fresh->limit = 7;
    struct config *old = atomic_exchange(&current, fresh);
    while (atomic_load(&readers))
        sched_yield();
    free(old);
}

int main(void)
{
    pthread_t t[2];
    struct config *c = malloc(sizeof *c);
    c->timeout = c->limit = 5;
    atomic_store(&current, c);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    while (atomic_load(&served) < WARM)
        sched_yield();
    reload();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
