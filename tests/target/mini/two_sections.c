/* Two locks, one after the other: each decides by itself who is last
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   4
 * finals:   1 1 | 1 2 | 2 1 | 2 2
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    y = 1;
    pthread_mutex_unlock(&n);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    y = 2;
    pthread_mutex_unlock(&n);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
