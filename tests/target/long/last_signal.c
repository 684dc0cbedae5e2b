/* The last signal is lost and the sink waits for ever, after many items
 * cause: the end is looked at before the lock is taken, and set without it
 * build: gcc -g -O1 -fsanitize=thread
 * expect: lost-wakeup
 * warm: 12000 items
 */
#include <pthread.h>
#include <stdatomic.h>
#ifndef WARM
#define WARM 12000
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static long n, taken;
static atomic_int is_over;

static void *sink(void *arg)
{
    while (taken < WARM) {
        pthread_mutex_lock(&lock);
        while (!n)
            pthread_cond_wait(&more, &lock);
        taken += n;
        n = 0;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&lock);
    }
    if (!atomic_load(&is_over)) { /* BUG */
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&more, &lock);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, sink, NULL);
    for (long i = 0; i < WARM; i++) {
        pthread_mutex_lock(&lock);
        while (n == 4)
            pthread_cond_wait(&room, &lock);
        n++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    atomic_store(&is_over, 1);
    pthread_cond_signal(&more);
    pthread_join(t, NULL);
    return 0;
}
