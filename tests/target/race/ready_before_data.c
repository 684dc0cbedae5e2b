/* Once set, the flag says that the table is there; it is set before the table is filled
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_ready, table[4];

static void prepare(void)
{
    pthread_mutex_lock(&lock);
    int was = is_ready;
    is_ready = 1;
    pthread_mutex_unlock(&lock);
    if (!was)
        table[2] = 7; /* R1 */
}

static void *one(void *arg)
{
    prepare();
    return arg;
}

static void *two(void *arg)
{
    prepare();
    printf("%d\n", table[2]); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
