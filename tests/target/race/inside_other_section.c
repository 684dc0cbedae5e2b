/* The write stands in a section that the reader passes before: only if the reader was through
 * first can the two meet
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <unistd.h>

static int n, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&lock);
    calls++;
    n = 1; /* R1 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
