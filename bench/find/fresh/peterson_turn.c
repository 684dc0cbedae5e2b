/* Peterson's lock that gives way before it asks
 * cause:    mutual exclusion: turn is set before the flag
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void *visit(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
    for (int round = 0; round < 2; round++) {
        atomic_store(&turn, other);
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
            sched_yield();
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, visit, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
