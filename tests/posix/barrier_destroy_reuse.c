/* A barrier may be destroyed by the thread that left it first
 * text:   destroy may be called once all threads have returned from or are leaving the
 *         wait; glibc waits for those still leaving
 * expect: exit 0
 */
#include "check.h"

static pthread_barrier_t b;

static void *other(void *arg)
{
    pthread_barrier_wait(&b);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        OK(pthread_barrier_init(&b, NULL, 2));
        pthread_t t = start(other, NULL);
        pthread_barrier_wait(&b);
        OK(pthread_barrier_destroy(&b));
        join(t);
    }
    return 0;
}
