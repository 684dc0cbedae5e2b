/* A disabled thread is not cancelled until it enables cancellation
 * text:   requests are held while the state is DISABLE; they act at the next cancellation
 *         point after it is ENABLE again; the old state is handed back
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static pthread_barrier_t b;
static atomic_int step;

static void *user(void *arg)
{
    int old;
    OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    IS(old, PTHREAD_CANCEL_ENABLE);
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b);
    pthread_testcancel();
    usleep(1000);
    step = 1;
    OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
    IS(old, PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    step = 2;
    return NULL;
}

int main(void)
{
    int old;
    OK(pthread_barrier_init(&b, NULL, 2));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&b);
    OK(pthread_cancel(t));
    pthread_barrier_wait(&b);
    TRUE(join(t) == PTHREAD_CANCELED);
    IS(step, 1);
    IS(pthread_setcancelstate(77, &old), EINVAL);
    IS(pthread_setcanceltype(77, &old), EINVAL);
    OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
    IS(old, PTHREAD_CANCEL_DEFERRED);
    return 0;
}
