/* Flat combining: the result is written after the request is marked done
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
struct request {
    atomic_int state;
    int arg, result;
};
static struct request req[2];
static atomic_flag combiner = ATOMIC_FLAG_INIT;
static int stack_depth;
static void combine(void)
{
    for (int i = 0; i < 2; i++)
        if (atomic_load(&req[i].state) == 1) {
            stack_depth += req[i].arg;
            atomic_store(&req[i].state, 2);
            req[i].result = stack_depth; /* R1 */
        }
}
static int apply(int me, int arg)
{
    req[me].arg = arg;
    atomic_store(&req[me].state, 1);
    while (atomic_load(&req[me].state) != 2)
        if (!atomic_flag_test_and_set(&combiner)) {
            combine();
            atomic_flag_clear(&combiner);
        } else
            sched_yield();
    return req[me].result; /* R2 */
}
static int results[2];
static void *user(void *arg)
{
    int me = (int)(long)arg;
    results[me] = apply(me, 1);
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, user, (void *)0);
    pthread_create(&u, NULL, user, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%d\n", results[0] + results[1]);
    return 0;
}
