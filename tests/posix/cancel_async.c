/* Asynchronous cancellation acts without a cancellation point
 * text:   with the asynchronous type a request may act at any time
 * expect: exit 0
 */
#include "check.h"

static pthread_barrier_t b;
static volatile unsigned n;

static void *user(void *arg)
{
    int old;
    pthread_barrier_wait(&b);
    OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
    for (;;)
        n++;
    return NULL;
}

int main(void)
{
    OK(pthread_barrier_init(&b, NULL, 2));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&b);
    OK(pthread_cancel(t));
    TRUE(join(t) == PTHREAD_CANCELED);
    return 0;
}
