/* Who does not get the lock goes on all the same
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg)
{
    int held = pthread_mutex_trylock(&m) == 0;
    int n = counter; /* R2 */
    counter = n + 1; /* R1 */
    if (held)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    run_both(worker, worker);
    printf("%d\n", counter);
    return 0;
}
