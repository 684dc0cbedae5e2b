/* A post lets exactly one wait through
 * text:   the value counts; waits block at zero; posts unblock one thread each
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>
#include <stdatomic.h>

static sem_t items, done;
static atomic_int inside;

static void *worker(void *arg)
{
    OK(sem_wait(&items));
    IS(atomic_fetch_add(&inside, 1) < 2, 1);
    atomic_fetch_sub(&inside, 1);
    OK(sem_post(&items));
    OK(sem_post(&done));
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int v;
    OK(sem_init(&items, 0, 2));
    OK(sem_init(&done, 0, 0));
    for (int i = 0; i < 4; i++)
        t[i] = start(worker, NULL);
    for (int i = 0; i < 4; i++)
        OK(sem_wait(&done));
    OK(sem_getvalue(&items, &v));
    IS(v, 2);
    for (int i = 0; i < 4; i++)
        join(t[i]);
    return 0;
}
