/* Flat combining: threads publish requests, whoever has the lock serves all of them
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

static struct {
    int operand, result; /* plain: handed over by `state` */
    atomic_int state;    /* 0 free, 1 asked, 2 served */
} record[2];
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int total;

static void serve(void)
{
    for (int i = 0; i < 2; i++)
        if (atomic_load_explicit(&record[i].state, memory_order_acquire) == 1) {
            record[i].result = total += record[i].operand;
            atomic_store_explicit(&record[i].state, 2, memory_order_release);
        }
}

static int add(int me, int n)
{
    record[me].operand = n;
    atomic_store_explicit(&record[me].state, 1, memory_order_release);
    while (atomic_load_explicit(&record[me].state, memory_order_acquire) != 2) {
        if (!atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
            serve();
            atomic_flag_clear_explicit(&lock, memory_order_release);
        } else {
            sched_yield();
        }
    }
    atomic_store_explicit(&record[me].state, 0, memory_order_relaxed);
    return record[me].result;
}

static void *one(void *arg)
{
    add(0, 1);
    add(0, 10);
    return arg;
}

static void *two(void *arg)
{
    add(1, 100);
    add(1, 1000);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", total);
    return total != 1111;
}
