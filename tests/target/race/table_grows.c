/* A table is moved when it grows, under a lock that who reads an element does not take
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static volatile int got;

static void *grow(void *arg)
{
    pthread_mutex_lock(&lock);
    int *more = calloc(64, sizeof *more), *old = table;
    more[1] = old[1];
    table = more;
    free(old); /* R1 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
    int *t = table;
    got = t[1]; /* R2 */
    return arg;
}

int main(void)
{
    table = calloc(2, sizeof *table);
    table[1] = 5;
    run_both(grow, look);
    free(table);
    return 0;
}
