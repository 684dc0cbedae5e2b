/* Asynchronous cancellation of loops that make no calls
 * cause:    none: they hold nothing and change only what is their own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     51, a loop that is not seen is stopped by time
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static volatile unsigned count;

static void *spins(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        __asm__ volatile("");
    return arg;
}

static void *counts(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        count++;
    return arg;
}

int main(void)
{
    pthread_t t;
    void *value;
    pthread_create(&t, NULL, spins, NULL);
    pthread_cancel(t);
    assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
    pthread_create(&t, NULL, counts, NULL);
    pthread_cancel(t);
    assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
    return 0;
}
