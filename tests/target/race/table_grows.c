/* A table is moved when it grows, under a lock that who reads an element does not take
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4 R5-R2
 * class:    fails
 * finding:  heap
 * tsan:     T1-R2, the allocation, where the write behind it is meant
 */
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static volatile int got;

static void *grow(void *arg)
{
    pthread_mutex_lock(&lock);
    int *more = calloc(64, sizeof *more), *old = table; /* T1 */
    more[1] = old[1]; /* R5 */
    table = more; /* R3 */
    free(old); /* R1 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
    int *t = table; /* R4 */
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
