/* A condition wait with a robust mutex whose owner ends
 * text:   the wait returns EOWNERDEAD with the mutex held, or ENOTRECOVERABLE
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, here = PTHREAD_COND_INITIALIZER;
static int waiting, ready;

static void *dies(void *arg)
{
    OK(pthread_mutex_lock(&m));
    while (!waiting)
        OK(pthread_cond_wait(&here, &m));
    ready = 1;
    OK(pthread_cond_signal(&c));
    return NULL; /* with the mutex */
}

int main(void)
{
    pthread_mutexattr_t a;
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutex_init(&m, &a));
    pthread_t t = start(dies, NULL);
    OK(pthread_mutex_lock(&m));
    waiting = 1;
    OK(pthread_cond_signal(&here));
    int r = 0;
    while (!ready && r == 0)
        r = pthread_cond_wait(&c, &m);
    IS(r, EOWNERDEAD);
    OK(pthread_mutex_consistent(&m));
    OK(pthread_mutex_unlock(&m));
    join(t);
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    return 0;
}
