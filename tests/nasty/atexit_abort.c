/* Calls abort in an atexit handler if a race went wrong.
 * expect: assertion */
#include <pthread.h>
#include <stdlib.h>

static volatile int n;

static void check(void)
{
    if (n != 2)
        abort();
}

static void *work(void *arg)
{
    int v = n;
    n = v + 1;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    atexit(check);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
