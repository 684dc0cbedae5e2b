/* A structure is copied with its lock: each copy has a lock of its own, the data is shared
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include "threads.h"

struct account {
    pthread_mutex_t m;
    int *balance;
};
static int money;
static struct account one = {PTHREAD_MUTEX_INITIALIZER, &money};

static void *worker(void *arg)
{
    struct account mine = one;
    pthread_mutex_lock(&mine.m);
    ++*mine.balance; /* R1 */
    pthread_mutex_unlock(&mine.m);
    return arg;
}

int main(void)
{
    run_both(worker, worker);
    printf("%d\n", money);
    return 0;
}
