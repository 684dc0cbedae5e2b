/* Cancellation is not acted on twice: points in a cleanup handler go through
 * text:   while handlers run after a cancellation, cancellation is disabled
 * expect: exit 0
 */
#include "check.h"

static pthread_barrier_t b;
static int reached;

static void cleanup(void *arg)
{
    pthread_testcancel();
    usleep(100);
    reached = 1;
}

static void *user(void *arg)
{
    pthread_cleanup_push(cleanup, NULL);
    pthread_barrier_wait(&b);
    pause();
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    OK(pthread_barrier_init(&b, NULL, 2));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&b);
    OK(pthread_cancel(t));
    OK(pthread_cancel(t)); /* a second request changes nothing */
    TRUE(join(t) == PTHREAD_CANCELED);
    IS(reached, 1);
    return 0;
}
