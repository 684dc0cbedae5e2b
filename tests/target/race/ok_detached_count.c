/* Detached threads with cleanup handlers count themselves down under a lock; main waits for none
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t m;
static pthread_cond_t none = PTHREAD_COND_INITIALIZER;
static int running = 3, *result;

static void leave(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m); /* recursive */
    if (--running == 0)
        pthread_cond_signal(&none);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    pthread_cleanup_push(leave, NULL);
    result[(long)arg] = (int)(long)arg + 1;
    pthread_exit(NULL);
    pthread_cleanup_pop(1);
}

int main(void)
{
    pthread_mutexattr_t a;
    pthread_attr_t d;
    pthread_t t;
    result = calloc(3, sizeof *result);
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    pthread_attr_init(&d);
    pthread_attr_setdetachstate(&d, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < 3; i++)
        pthread_create(&t, &d, worker, (void *)i);
    pthread_mutex_lock(&m);
    while (running)
        pthread_cond_wait(&none, &m);
    pthread_mutex_unlock(&m);
    int sum = result[0] + result[1] + result[2];
    free(result);
    return sum != 6;
}
