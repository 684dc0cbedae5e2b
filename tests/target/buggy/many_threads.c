/* Sixteen threads, two of which must not meet
 * cause:    narrow window: an owner's mark is overwritten by one of many threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   1000 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int served;
static atomic_int owner;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        served++;
        pthread_mutex_unlock(&m);
    }
    if (me == 5) {
        atomic_store(&owner, me);
        assert(atomic_load(&owner) == me); /* B */
    } else if (me == 12) {
        atomic_store(&owner, me); /* A */
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return served == 3 * THREADS ? 0 : 1;
}
