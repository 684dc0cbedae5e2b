/* A copy of what another thread works on, long before the end of a run of 100,000 steps
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <string.h>

struct context {
    char table[3000];
    int level;
};
static struct context work, copy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *one(void *arg)
{
    work.level = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    memcpy(&copy, &work, sizeof copy); /* R2 */
    return arg;
}

static void *count(void *arg)
{
    for (int i = 0; i < 25000; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    run_both(one, two);
    run_both(count, count);
    return turns != 50000 || copy.level > 1;
}
