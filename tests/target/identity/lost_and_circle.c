/* a lost wake-up and a circle of locks
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     600
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int x;

static void take(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}

static void *wait_x(void *unused)
{
    pthread_mutex_lock(&m);
    while (!atomic_load(&x))
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *signaller(void *unused)
{
    atomic_store(&x, 1);
    pthread_cond_signal(&c); /* bug 1 */
    take(&a, &b);
    return NULL;
}

static void *other(void *unused)
{
    take(&b, &a); /* bug 2 */
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, wait_x, NULL);
    pthread_create(&t[1], NULL, signaller, NULL);
    pthread_create(&t[2], NULL, other, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
