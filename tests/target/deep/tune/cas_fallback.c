/* A counter loses an update in the slow path that is taken after many failed attempts
 * cause:    the slow path of a lock-free add is a load and a store
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   at DEPTH 10, 16 of 200,000 random walks fail, none of pos and burst (odds.sh); one
 *           more divides by 3 at least, so 1 in 330,000 at 13
 * shape:    two threads, thirteen orders in a row (each a failed attempt), one more in the slow path
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 13 /* failed attempts in a row */
#endif
enum { ADDS = 2 * DEPTH };
static atomic_int sum;

static void add(int by)
{
    int seen = atomic_load(&sum);
    for (int i = 0; i < DEPTH; i++)
        if (atomic_compare_exchange_strong(&sum, &seen, seen + by))
            return;
    seen = atomic_load(&sum);
    atomic_store(&sum, seen + by);
}

static void *adder(void *arg)
{
    for (int i = 0; i < ADDS; i++)
        add(1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, adder, NULL);
    pthread_create(&b, NULL, adder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sum == 2 * ADDS);
    return 0;
}
