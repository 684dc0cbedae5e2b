/* A thread recurses until its stack ends: a fatal signal on a stack that has no
 * room for a handler.
 * expect: signal */
#include <pthread.h>
#include <stdlib.h>

static int deep(volatile int *p)
{
    volatile int here[256];
    here[0] = *p + 1;
    return deep(here) + here[1];
}

static void *work(void *arg)
{
    volatile int start = 0;
    return (void *)(long)deep(&start);
}

static void *idle(void *arg) { return arg; }

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, idle, NULL);
    pthread_create(&t[1], NULL, work, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
