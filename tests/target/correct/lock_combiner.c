/* Flat combining, done right
 * cause:    none: requests and results go over by release and acquire
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#define T 3
struct request {
    atomic_int state;
    int arg, result;
};
static struct request req[T];
static atomic_flag combiner = ATOMIC_FLAG_INIT;
static int counter;
static int apply(int me, int arg)
{
    req[me].arg = arg;
    atomic_store_explicit(&req[me].state, 1, memory_order_release);
    while (atomic_load_explicit(&req[me].state, memory_order_acquire) != 2)
        if (!atomic_flag_test_and_set_explicit(&combiner, memory_order_acquire)) {
            for (int i = 0; i < T; i++)
                if (atomic_load_explicit(&req[i].state, memory_order_acquire) == 1) {
                    counter += req[i].arg;
                    req[i].result = counter;
                    atomic_store_explicit(&req[i].state, 2, memory_order_release);
                }
            atomic_flag_clear_explicit(&combiner, memory_order_release);
        } else
            sched_yield();
    return req[me].result;
}
static void *user(void *arg)
{
    int a = apply((int)(long)arg, 1), b = apply((int)(long)arg, 1);
    assert(a < b);
    return NULL;
}
int main(void)
{
    pthread_t t[T];
    for (long i = 0; i < T; i++)
        pthread_create(&t[i], NULL, user, (void *)i);
    for (int i = 0; i < T; i++)
        pthread_join(t[i], NULL);
    assert(counter == 6);
    return 0;
}
