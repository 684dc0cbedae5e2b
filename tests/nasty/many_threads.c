/* 500 threads at once, all alive before the first ends.
 * expect: clean */
#include <pthread.h>
#include <stdlib.h>

enum { N = 500 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int here, open_now;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    here++;
    pthread_cond_broadcast(&c);
    while (!open_now)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    static pthread_t t[N];
    for (int i = 0; i < N; i++)
        if (pthread_create(&t[i], NULL, work, NULL))
            abort();
    pthread_mutex_lock(&m);
    while (here < N)
        pthread_cond_wait(&c, &m);
    open_now = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
