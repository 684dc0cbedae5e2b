/* A lock tried once: before, during (-1) or after the other's section
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   -1 | 0 | 1
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, r;

static void *owner(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *visitor(void *arg)
{
    if (pthread_mutex_trylock(&m)) {
        r = -1;
    } else {
        r = x;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, owner, NULL);
    pthread_create(&t2, NULL, visitor, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d\n", r);
    return 0;
}
