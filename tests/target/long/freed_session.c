/* A session is freed while the worker still holds on to it, after long service
 * cause: a pointer is taken under the lock and used after it was given up
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 10000 requests of each thread
 */
#include <pthread.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 10000
#endif

struct session {
    int users;
    long hits;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *current;

static void *worker(void *arg)
{
    for (long i = 0; i < WARM; i++) {
        pthread_mutex_lock(&lock);
        current->hits++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    struct session *s = current;
    pthread_mutex_unlock(&lock);
    s->users++; /* BUG */
    return NULL;
}

int main(void)
{
    pthread_t t;
    current = calloc(1, sizeof *current);
    pthread_create(&t, NULL, worker, NULL);
    for (long i = 0; i < WARM; i++) {
        pthread_mutex_lock(&lock);
        current->hits++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    struct session *old = current;
    current = calloc(1, sizeof *current);
    pthread_mutex_unlock(&lock);
    free(old);
    pthread_join(t, NULL);
    return 0;
}
