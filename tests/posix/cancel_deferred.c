/* Deferred cancellation takes effect at a cancellation point only
 * text:   a request stays pending until the target calls a cancellation point
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static pthread_barrier_t b;
static atomic_int passed;

static void *user(void *arg)
{
    pthread_barrier_wait(&b); /* no cancellation point */
    pthread_barrier_wait(&b); /* the request was made */
    passed = 1;
    pthread_testcancel();
    passed = 2;
    return NULL;
}

int main(void)
{
    OK(pthread_barrier_init(&b, NULL, 2));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&b);
    OK(pthread_cancel(t));
    pthread_barrier_wait(&b);
    TRUE(join(t) == PTHREAD_CANCELED);
    IS(passed, 1);
    return 0;
}
