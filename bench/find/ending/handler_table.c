/* A destructor of the program closes the table that a worker looks into
 * cause:    function with attribute destructor against a thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct entry {
    int key, value;
};
static struct entry entries[4] = {{1, 10}, {2, 20}, {3, 30}, {4, 40}};
static _Atomic(struct entry *) table = entries;
static atomic_int found;

__attribute__((destructor)) static void close_table(void) { atomic_store(&table, NULL); }

static void *look_up(void *arg)
{
    for (int i = 0; i < 4; i++)
        if (atomic_load(&table)[i].key == 3)
            atomic_fetch_add(&found, 1);
    return arg;
}

static void *count(void *arg)
{
    while (atomic_load(&found) < 1)
        continue;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, look_up, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(b, NULL);
    return 0;
}
