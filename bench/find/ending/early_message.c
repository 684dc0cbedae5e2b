/* A message is announced before it is written, main does not wait
 * cause:    order violation between two detached threads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int is_there, value, sum;

static void *send(void *arg)
{
    for (int i = 0; i < 4; i++)
        atomic_fetch_add(&sum, i);
    atomic_store(&is_there, 1);
    atomic_store(&value, 42);
    return arg;
}

static void *receive(void *arg)
{
    for (int i = 0; i < 4; i++)
        atomic_fetch_add(&sum, i);
    if (atomic_load(&is_there))
        assert(atomic_load(&value) == 42);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, send, NULL);
    pthread_detach(t);
    pthread_create(&t, NULL, receive, NULL);
    pthread_detach(t);
    return 0;
}
