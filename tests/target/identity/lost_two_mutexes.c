/* two lost wake-ups under two mutexes
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     600
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_cond_t d = PTHREAD_COND_INITIALIZER;
static atomic_int x, y;

static void *wait_first(void *unused)
{
    pthread_mutex_lock(&m);
    while (!atomic_load(&x))
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *wait_second(void *unused)
{
    pthread_mutex_lock(&n);
    while (!atomic_load(&y))
        pthread_cond_wait(&d, &n);
    pthread_mutex_unlock(&n);
    return NULL;
}

static void *signaller(void *unused)
{
    atomic_store(&x, 1);
    pthread_cond_broadcast(&c); /* bug 1 */
    atomic_store(&y, 1);
    pthread_cond_broadcast(&d); /* bug 2 */
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, wait_first, NULL);
    pthread_create(&t[1], NULL, wait_second, NULL);
    pthread_create(&t[2], NULL, signaller, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
