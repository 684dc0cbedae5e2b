/* A wait with a predicate: it comes to waiting or not, and always ends
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   2
 * finals:   0 | 1
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag, waited;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    if (!flag) {
        waited = 1;
        pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    return arg;
}

static void *setter(void *arg)
{
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, waiter, NULL);
    pthread_create(&t2, NULL, setter, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d\n", waited);
    return 0;
}
