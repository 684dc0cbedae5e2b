/* A transfer in one section: who adds both accounts up sees all of it or nothing
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int from = 100, to;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *transfer(void *arg)
{
    pthread_mutex_lock(&lock);
    from = 60;
    to = 40;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *audit(void *arg)
{
    pthread_mutex_lock(&lock);
    int left = from;
    int given = to;
    pthread_mutex_unlock(&lock);
    printf("%d\n", left + given);
    return arg;
}

int main(void)
{
    run_both(transfer, audit);
    return 0;
}
