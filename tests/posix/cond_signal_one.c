/* pthread_cond_signal wakes at least one of the waiters
 * text:   with N threads blocked and one signal per item, all items are taken
 * expect: exit 0
 */
#include "check.h"

#define N 3
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void *taker(void *arg)
{
    OK(pthread_mutex_lock(&m));
    while (!items)
        OK(pthread_cond_wait(&c, &m));
    items--;
    taken++;
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        t[i] = start(taker, NULL);
    for (int i = 0; i < N; i++) {
        OK(pthread_mutex_lock(&m));
        items++;
        OK(pthread_mutex_unlock(&m));
        OK(pthread_cond_signal(&c)); /* without the mutex: allowed */
    }
    for (int i = 0; i < N; i++)
        join(t[i]);
    IS(taken, N);
    IS(items, 0);
    return 0;
}
