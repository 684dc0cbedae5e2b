/* What was seen in one section is checked again in the next; and an atomic that is updated in a
 * loop until it succeeds
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

static int n;
static atomic_int m;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int seen = n;
        pthread_mutex_unlock(&lock);
        int next = seen + 1;
        pthread_mutex_lock(&lock);
        int is_same = n == seen;
        if (is_same)
            n = next;
        pthread_mutex_unlock(&lock);
        if (is_same)
            return;
    }
}

static void *work(void *arg)
{
    add();
    int seen = atomic_load(&m);
    while (!atomic_compare_exchange_weak(&m, &seen, seen + 1))
        ;
    return arg;
}

int main(void)
{
    run_both(work, work);
    printf("%d %d\n", n, m);
    return 0;
}
