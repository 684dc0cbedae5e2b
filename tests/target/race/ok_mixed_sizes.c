/* Two halves are set one by one, and taken as a whole by an atomic of twice the size
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static union {
    unsigned long long all;
    unsigned half[2];
} u __attribute__((aligned(8)));
static int data;

static void *setter(void *arg)
{
    data = 3;
    __atomic_store_n(&u.half[1], 1, __ATOMIC_RELEASE);
    return arg;
}

static void *taker(void *arg)
{
    while (!(__atomic_load_n(&u.all, __ATOMIC_ACQUIRE) >> 32))
        sched_yield();
    return data == 3 ? arg : &data;
}

int main(void)
{
    run_both(setter, taker);
    return 0;
}
