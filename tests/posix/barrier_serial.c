/* pthread_barrier_wait: exactly one thread per round gets the special value
 * text:   the constant PTHREAD_BARRIER_SERIAL_THREAD is returned to one unspecified
 *         thread and 0 to the others; then the barrier is as freshly initialized
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

#define N 3
static pthread_barrier_t b;
static atomic_int serial, arrived;

static void *phases(void *arg)
{
    for (int i = 1; i <= 4; i++) {
        arrived++;
        int r = pthread_barrier_wait(&b);
        TRUE(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        TRUE(arrived >= i * N);
        if (r)
            serial++;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    OK(pthread_barrier_init(&b, NULL, N));
    for (int i = 0; i < N; i++)
        t[i] = start(phases, NULL);
    for (int i = 0; i < N; i++)
        join(t[i]);
    IS(serial, 4);
    IS(arrived, 4 * N);
    OK(pthread_barrier_destroy(&b));
    return 0;
}
