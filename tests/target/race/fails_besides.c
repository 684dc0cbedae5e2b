/* A deadlock that has nothing to do with it ends many runs; a counter races before and after it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4
 * class:    any
 */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int before, after;

static void *one(void *arg)
{
    before++; /* R1 */
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    after++; /* R3 */
    return arg;
}

static void *other(void *arg)
{
    before++; /* R2 */
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    after++; /* R4 */
    return arg;
}

int main(void)
{
    run_both(one, other);
    printf("%d %d\n", before, after);
    return 0;
}
