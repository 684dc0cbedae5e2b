/* A timer looks at what was freed when it was told to stop, after thousands of ticks
 * cause: who stops it does not wait for the tick under way
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 10000 ticks
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#ifndef WARM
#define WARM 10000
#endif

struct state {
    long ticks;
};
static struct state *shared;
static atomic_int is_stopped;
static atomic_long ticks;

static void *ticker(void *arg)
{
    while (!atomic_load(&is_stopped)) {
        shared->ticks++; /* BUG */
        atomic_fetch_add(&ticks, 1);
        usleep(1000);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    shared = calloc(1, sizeof *shared);
    pthread_create(&t, NULL, ticker, NULL);
    while (atomic_load(&ticks) < WARM)
        usleep(1000);
    atomic_store(&is_stopped, 1);
    free(shared);
    pthread_join(t, NULL);
    return 0;
}
