/* A table with one entry too many
 * cause:    heap overflow by one: room is checked before the slot is taken
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROOM 3
static int *table;
static atomic_int used;

static void add(int value)
{
    if (atomic_load(&used) == ROOM) /* A */
        return;
    int slot = atomic_fetch_add(&used, 1); /* B */
    table[slot] = value;
}

static void *adder(void *arg)
{
    add(1);
    add(2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    table = malloc(ROOM * sizeof *table);
    pthread_create(&a, NULL, adder, NULL);
    pthread_create(&b, NULL, adder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(table);
    return 0;
}
