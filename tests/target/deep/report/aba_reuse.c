/* A freed slot is handed out while its old owner still links it
 * cause:    ABA with reuse: a slot is popped, used by a second thread, and pushed by a third
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   of 300,000 walks 2 of random fail, none of pos and burst (odds.sh); an exhaustive search
 *           over the states comes to it after 49 steps and 3.0 million states
 * shape:    three threads over a free list; three times a slot has to pass through two of
 *           them while a step of the third stands still
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 3, ROUNDS = 3 };
static atomic_int free_list;
static atomic_int below[SLOTS] = {1, 2, -1};
static atomic_int owner[SLOTS], twice;

static int take(void)
{
    int h = atomic_load(&free_list), n;
    do {
        if (h < 0)
            return -1;
        n = atomic_load(&below[h]);
    } while (!atomic_compare_exchange_strong(&free_list, &h, n));
    return h;
}

static void put(int slot)
{
    int h = atomic_load(&free_list);
    do
        atomic_store(&below[slot], h);
    while (!atomic_compare_exchange_strong(&free_list, &h, slot));
}

static void *worker(void *arg)
{
    int me = (int)(long)arg + 1;
    for (int i = 0; i < ROUNDS; i++) {
        int s = take();
        if (s < 0)
            continue;
        int was = atomic_exchange(&owner[s], me);
        if (was) { /* somebody else's */
            twice = twice + 1;
            continue;
        }
        atomic_store(&owner[s], 0);
        put(s);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(twice < 3);
    return 0;
}
