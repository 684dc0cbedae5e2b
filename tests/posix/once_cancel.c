/* pthread_once: a cancelled routine counts as never called
 * text:   if the routine is a cancellation point and is cancelled, the control is as
 *         if the call had not been made
 * expect: exit 0
 */
#include "check.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t both;
static int calls;

static void first(void)
{
    calls++;
    pthread_barrier_wait(&both);
    for (;;)
        pause();
}

static void second(void) { calls++; }

static void *user(void *arg)
{
    pthread_once(&once, first);
    return NULL;
}

int main(void)
{
    OK(pthread_barrier_init(&both, NULL, 2));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&both);
    OK(pthread_cancel(t));
    TRUE(join(t) == PTHREAD_CANCELED);
    OK(pthread_once(&once, second));
    OK(pthread_once(&once, second));
    IS(calls, 2);
    return 0;
}
