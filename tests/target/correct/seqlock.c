/* A sequence lock of atomics
 * cause:    none: the reader looks at the number before and after, and tries again
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int version, x, y; /* x == y whenever version is even */

static void *writer(void *arg)
{
    for (int i = 1; i <= 3; i++) {
        atomic_fetch_add(&version, 1);
        atomic_store(&x, i);
        atomic_store(&y, i);
        atomic_fetch_add(&version, 1);
    }
    return arg;
}

static void *reader(void *arg)
{
    int before, a, b;
    for (;;) {
        before = atomic_load(&version);
        a = atomic_load(&x);
        b = atomic_load(&y);
        if (!(before & 1) && atomic_load(&version) == before)
            break;
        sched_yield();
    }
    assert(a == b);
    return arg;
}

int main(void)
{
    pthread_t r[2], w;
    for (int i = 0; i < 2; i++)
        pthread_create(&r[i], NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(r[i], NULL);
    pthread_join(w, NULL);
    return 0;
}
