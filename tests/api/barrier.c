/* Barriers: everybody waits for everybody, one serial thread per round. */
#include "check.h"

#define N 4
#define ROUNDS 5

static pthread_barrier_t b;
static int arrived[ROUNDS], serial[ROUNDS];

static void *go(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        __atomic_add_fetch(&arrived[i], 1, __ATOMIC_SEQ_CST);
        int r = pthread_barrier_wait(&b);
        CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        IS(__atomic_load_n(&arrived[i], __ATOMIC_SEQ_CST), N);
        if (r)
            __atomic_add_fetch(&serial[i], 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    IS(pthread_barrier_init(&b, NULL, 0), EINVAL);
    IS(pthread_barrier_init(&b, NULL, 1), 0);
    for (int i = 0; i < 3; i++)
        IS(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
    IS(pthread_barrier_destroy(&b), 0);

    IS(pthread_barrier_init(&b, NULL, N), 0);
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        IS(pthread_create(&t[i], NULL, go, NULL), 0);
    for (int i = 0; i < N; i++)
        IS(pthread_join(t[i], NULL), 0);
    for (int i = 0; i < ROUNDS; i++)
        IS(serial[i], 1);
    IS(pthread_barrier_destroy(&b), 0);
    return 0;
}
