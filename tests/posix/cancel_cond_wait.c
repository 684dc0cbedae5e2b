/* A cancelled condition wait owns the mutex in its cleanup handler
 * text:   the mutex is acquired again before the first cleanup handler is called, and a
 *         cancelled waiter does not consume a signal meant for another
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, here = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void cleanup(void *arg)
{
    IS(pthread_mutex_lock(&m), EDEADLK); /* held by this thread */
    cleaned++;
    OK(pthread_mutex_unlock(&m));
}

static void *user(void *arg)
{
    OK(pthread_mutex_lock(&m));
    pthread_cleanup_push(cleanup, NULL);
    waiting = 1;
    OK(pthread_cond_signal(&here));
    for (;;)
        OK(pthread_cond_wait(&c, &m));
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t t = start(user, NULL);
    OK(pthread_mutex_lock(&m));
    while (!waiting)
        OK(pthread_cond_wait(&here, &m));
    OK(pthread_cancel(t));
    OK(pthread_mutex_unlock(&m));
    TRUE(join(t) == PTHREAD_CANCELED);
    IS(cleaned, 1);
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    return 0;
}
