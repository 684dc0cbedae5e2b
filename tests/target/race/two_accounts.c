/* A transfer takes from one account in one section and gives to the other in the next: who adds both
 * up in one section in between misses money
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * crossed:  R1-R2-R3-R4
 */
#include "threads.h"

static int from = 100, to;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *transfer(void *arg)
{
    pthread_mutex_lock(&lock);
    from = 60; /* R1 */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    to = 40; /* R4 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *audit(void *arg)
{
    pthread_mutex_lock(&lock);
    int left = from;  /* R2 */
    int given = to;   /* R3 */
    pthread_mutex_unlock(&lock);
    printf("%d\n", left + given);
    return arg;
}

int main(void)
{
    run_both(transfer, audit);
    return 0;
}
