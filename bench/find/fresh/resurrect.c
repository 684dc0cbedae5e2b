/* A cache that hands out what is being thrown away
 * cause:    a count of references that comes back from zero
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct entry {
    atomic_int users;
    int value;
};
static struct entry *_Atomic cached;

static void put(struct entry *e)
{
    if (atomic_fetch_sub(&e->users, 1) == 1) {
        atomic_store(&cached, NULL);
        free(e);
    }
}

static void *client(void *arg)
{
    struct entry *e = atomic_load(&cached);
    if (e) {
        atomic_fetch_add(&e->users, 1);
        e->value++;
        put(e);
    }
    return arg;
}

static void *evict(void *arg)
{
    struct entry *e = atomic_load(&cached);
    if (e)
        put(e);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    struct entry *e = calloc(1, sizeof *e);
    atomic_store(&e->users, 1);
    atomic_store(&cached, e);
    pthread_create(&t[0], NULL, client, NULL);
    pthread_create(&t[1], NULL, client, NULL);
    pthread_create(&t[2], NULL, evict, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
