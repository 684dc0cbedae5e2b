/* A predicate that is set without the lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

static int is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    is_ready = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&lock);
    int is = is_ready; /* R2 */
    pthread_mutex_unlock(&lock);
    printf("%d\n", is);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
