/* Two thousand threads that are all alive at once.
 * expect: clean */
#include <pthread.h>

enum { CROWD = 2000 };
static pthread_barrier_t all;

static void *wait_for_all(void *arg)
{
    pthread_barrier_wait(&all);
    return arg;
}

int main(void)
{
    static pthread_t t[CROWD];
    pthread_attr_t small;
    pthread_barrier_init(&all, NULL, CROWD);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (int i = 0; i < CROWD; i++)
        if (pthread_create(&t[i], &small, wait_for_all, NULL))
            return 1;
    for (int i = 0; i < CROWD; i++)
        pthread_join(t[i], NULL);
    return 0;
}
