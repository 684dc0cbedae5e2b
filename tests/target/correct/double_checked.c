/* Double-checked locking with an atomic flag
 * cause:    none: data first, then the flag, release and acquire
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int square[4], fills;

static int lookup(int i)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&m);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            fills++;
            for (int k = 1; k < 4; k++)
                square[k] = k * k;
            atomic_store_explicit(&ready, 1, memory_order_release);
        }
        pthread_mutex_unlock(&m);
    }
    return square[i];
}

static void *user(void *arg)
{
    assert(lookup(3) == 9);
    assert(lookup(2) == 4);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(fills == 1);
    return 0;
}
