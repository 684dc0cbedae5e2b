/* An allocator of the program's own: blocks go round in a list under a lock, and their memory is another object each time
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

union block {
    union block *next;
    int text[4];
    double number;
};
static union block pool[2], *free_blocks;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static union block *take(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    union block *b = free_blocks;
    if (b)
        free_blocks = b->next;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    return b;
}

static void give(union block *b)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ;
    b->next = free_blocks;
    free_blocks = b;
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static void *ints(void *arg)
{
    for (int i = 0; i < 3; i++) {
        union block *b = take();
        if (!b)
            continue;
        b->text[1] = i;
        if (b->text[1] != i)
            abort();
        give(b);
    }
    return arg;
}

static void *doubles(void *arg)
{
    for (int i = 0; i < 3; i++) {
        union block *b = take();
        if (!b)
            continue;
        b->number = i;
        if (b->number != i)
            abort();
        give(b);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    give(&pool[0]);
    give(&pool[1]);
    pthread_create(&t, NULL, ints, NULL);
    run_both(ints, doubles);
    pthread_join(t, NULL);
    return 0;
}
