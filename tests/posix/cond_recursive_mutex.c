/* A condition wait with a recursive mutex locked once
 * text:   the mutex is released for the wait and owned again after it, so that
 *         its count is as before
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *setter(void *arg)
{
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_lock(&m));
    ready = 1;
    OK(pthread_mutex_unlock(&m));
    OK(pthread_cond_signal(&c));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    OK(pthread_mutex_lock(&m));
    pthread_t t = start(setter, NULL);
    while (!ready)
        OK(pthread_cond_wait(&c, &m));
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    OK(pthread_mutex_unlock(&m));
    IS(pthread_mutex_unlock(&m), EPERM);
    join(t);
    return 0;
}
