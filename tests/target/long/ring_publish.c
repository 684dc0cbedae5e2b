/* The last element of a ring is read before it was written
 * cause: the path that flushes publishes the place first
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 8000 elements through a ring of atomics
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#ifndef WARM
#define WARM 8000
#endif

enum { ROOM = 8 };
static long element[ROOM];
static atomic_long head, tail;

static void *sink(void *arg)
{
    for (long i = 1; i <= WARM + 1; i++) {
        while (atomic_load(&head) < i)
            sched_yield();
        assert(element[i % ROOM] == i);
        atomic_store(&tail, i);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sink, NULL);
    for (long i = 1; i <= WARM; i++) {
        while (i - atomic_load(&tail) > ROOM)
            sched_yield();
        element[i % ROOM] = i;
        atomic_store(&head, i);
    }
    while (atomic_load(&tail) < WARM)
        sched_yield();
    atomic_store(&head, WARM + 1); /* BUG */
    element[(WARM + 1) % ROOM] = WARM + 1;
    pthread_join(t, NULL);
    return 0;
}
