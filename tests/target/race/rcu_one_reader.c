/* The writer waits for the first reader alone before it changes the old version
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static int version[2] = {5, 6};
static _Atomic(int *) current = &version[0];
static atomic_int reading[2];
static int out[2];

static void *reader(void *arg)
{
    int me = (int)(long)arg;
    atomic_store(&reading[me], 1);
    int *p = atomic_load(&current);
    out[me] = *p; /* R1 */
    atomic_store(&reading[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    int *old = atomic_exchange(&current, &version[1]);
    while (atomic_load(&reading[0]))
        sched_yield();
    *old = 0; /* R2 */
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", out[1] != 0);
    return 0;
}
