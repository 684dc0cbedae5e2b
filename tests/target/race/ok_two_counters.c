/* Two counters, which one thread counts up in one section and the other in two: no order of the two
 * makes a difference
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int hits, bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *apart(void *arg)
{
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    bytes += 10;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *together(void *arg)
{
    pthread_mutex_lock(&lock);
    hits++;
    bytes += 20;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(apart, together);
    printf("%d %d\n", hits, bytes);
    return 0;
}
