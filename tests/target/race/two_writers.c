/* Lowest and highest are set in two sections by one thread and in one by the other: in the end the range
 * is one that nobody set
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * crossed:  R1-R2-R3-R4
 */
#include "threads.h"

static int low, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *apart(void *arg)
{
    pthread_mutex_lock(&lock);
    low = 1; /* R1 */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    high = 2; /* R4 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *together(void *arg)
{
    pthread_mutex_lock(&lock);
    low = 8;  /* R2 */
    high = 9; /* R3 */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(apart, together);
    printf("%d to %d\n", low, high);
    return 0;
}
