/* A range seen with its new start and its old end
 * cause:    invariant over two variables, each of them atomic
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int start = 0, end = 10;

static void *mover(void *arg)
{
    atomic_store(&start, 20);
    atomic_store(&end, 30); /* B */
    return arg;
}

static void *viewer(void *arg)
{
    int s = atomic_load(&start);
    int e = atomic_load(&end); /* A */
    assert(s <= e);
    return arg;
}

int main(void)
{
    pthread_t m, v;
    pthread_create(&m, NULL, mover, NULL);
    pthread_create(&v, NULL, viewer, NULL);
    pthread_join(m, NULL);
    pthread_join(v, NULL);
    return 0;
}
