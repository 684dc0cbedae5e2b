/* A job stopped by a deadline
 * cause:    none: the worker looks at an atomic flag that a sleeper sets; both ends are fine
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int must_stop;

static void *work(void *arg)
{
    long sum = 0;
    for (int i = 0; i < 3000 && !atomic_load(&must_stop); i++)
        for (int k = 0; k < 10; k++)
            sum += i ^ k;
    *(long *)arg = sum;
    return arg;
}

static void *watch(void *arg)
{
    sleep(30);
    _exit(9); /* half a minute for a job of microseconds */
    return arg;
}

int main(void)
{
    pthread_t t, w;
    long sum = 0;
    pthread_create(&w, NULL, watch, NULL);
    pthread_create(&t, NULL, work, &sum);
    pthread_join(t, NULL);
    return sum < 0;
}
