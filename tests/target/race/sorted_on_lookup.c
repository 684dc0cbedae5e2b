/* Looking something up sorts the table if it is not sorted, under the lock for readers
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4] = {4, 2, 3, 1}, is_sorted;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *look_up(void *arg)
{
    int key = 3;
    pthread_rwlock_rdlock(&lock);
    if (!is_sorted) {
        qsort(table, 4, sizeof *table, compare);
        is_sorted = 1; /* R1 */
    }
    int *found = bsearch(&key, table, 4, sizeof *table, compare);
    pthread_rwlock_unlock(&lock);
    return found ? arg : arg;
}

int main(void)
{
    run_both(look_up, look_up);
    return 0;
}
