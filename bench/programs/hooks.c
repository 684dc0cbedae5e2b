/* hooks.c N: N million accesses to private heap memory by one of two threads:
 * the slope over N is the cost of a quiet hook. */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
    long n = (long)arg * 1000000;
    int *a = malloc(1024 * sizeof *a);
    for (long i = 0; i < n; i++)
        a[i & 1023] = (int)i;
    int r = a[5];
    free(a);
    return (void *)(long)(r == -1);
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, (void *)(argc > 1 ? atol(argv[1]) : 1));
    pthread_join(t, NULL);
    return 0;
}
