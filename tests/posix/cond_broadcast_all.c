/* pthread_cond_broadcast wakes every thread that waits
 * text:   all threads blocked on the condition at the time of the call are unblocked
 * expect: exit 0
 */
#include "check.h"

#define N 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, here = PTHREAD_COND_INITIALIZER;
static int waiting, round_no, woken;

static void *waiter(void *arg)
{
    OK(pthread_mutex_lock(&m));
    for (int i = 1; i <= 2; i++) {
        waiting++;
        OK(pthread_cond_signal(&here));
        while (round_no < i)
            OK(pthread_cond_wait(&go, &m));
        woken++;
    }
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        t[i] = start(waiter, NULL);
    OK(pthread_mutex_lock(&m));
    for (int i = 1; i <= 2; i++) {
        while (waiting < i * N)
            OK(pthread_cond_wait(&here, &m));
        IS(woken, (i - 1) * N);
        round_no = i;
        OK(pthread_cond_broadcast(&go));
    }
    OK(pthread_mutex_unlock(&m));
    for (int i = 0; i < N; i++)
        join(t[i]);
    IS(woken, 2 * N);
    OK(pthread_cond_destroy(&go));
    return 0;
}
