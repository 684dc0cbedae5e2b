/* A pool whose workers look at the flag before they take the lock
 * cause:    lost wake-up at shutdown
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   300 runs
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static atomic_int stops;
static int queued, done;

static void *worker(void *arg)
{
    while (!atomic_load(&stops)) {
        pthread_mutex_lock(&m);
        if (!queued)
            pthread_cond_wait(&work, &m);
        if (queued) {
            queued--;
            done++;
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        queued++;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&m);
    }
    atomic_store(&stops, 1);
    pthread_cond_broadcast(&work);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
