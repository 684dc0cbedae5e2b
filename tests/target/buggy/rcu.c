/* A reader that fetches the pointer before it enters
 * cause:    read-copy-update: the old copy is recycled under a reader not yet counted
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct route {
    atomic_int is_valid;
};
static struct route copy[2] = {{1}, {1}};
static struct route *_Atomic route = &copy[0];
static atomic_int readers;

static void *reader(void *arg)
{
    struct route *r = atomic_load(&route); /* belongs after the next line */
    atomic_fetch_add(&readers, 1);
    assert(atomic_load(&r->is_valid)); /* B */
    atomic_fetch_sub(&readers, 1);
    return arg;
}

static void *writer(void *arg)
{
    struct route *old = atomic_exchange(&route, &copy[1]);
    while (atomic_load(&readers))
        sched_yield();
    atomic_store(&old->is_valid, 0); /* A */
    return arg;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
