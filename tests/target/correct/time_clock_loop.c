/* A loop until a time by the clock
 * cause:    none: time passes for who reads it, and others run meanwhile
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int is_set;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void *other(void *arg)
{
    usleep(300000);
    atomic_store(&is_set, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    double start = now();
    while (now() < start + 1)
        ;
    while (!atomic_load(&is_set)) /* it may be later still */
        now();
    pthread_join(t, NULL);
    return 0;
}
