/* Two locks in two orders
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    5(A,B,C,D)
 * expect:   deadlock
 */
#include <pthread.h>

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;

static void *left(void *arg)
{
    pthread_mutex_lock(&m1); /* A */
    pthread_mutex_lock(&m2); /* D */
    pthread_mutex_unlock(&m2);
    pthread_mutex_unlock(&m1);
    return arg;
}

/* its own work, step by step: the order that fails is far away */
static void work(void)
{
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
}

static void *right(void *arg)
{
    work();
    pthread_mutex_lock(&m2); /* C */
    pthread_mutex_lock(&m1); /* B */
    pthread_mutex_unlock(&m1);
    pthread_mutex_unlock(&m2);
    return arg;
}

int main(void)
{
    pthread_t l, r;
    pthread_create(&l, NULL, left, NULL);
    pthread_create(&r, NULL, right, NULL);
    pthread_join(l, NULL);
    pthread_join(r, NULL);
    return 0;
}
