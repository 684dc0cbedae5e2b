/* A block that must be atomic, and is: one lock from its begin to its end
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <heddle/heddle.h>

static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    heddle_atomic_begin();
    pthread_mutex_lock(&lock);
    n = n + 1;
    n = n * 2;
    pthread_mutex_unlock(&lock);
    heddle_atomic_end();
    return arg;
}

int main(void)
{
    run_both(work, work);
    printf("%d\n", n);
    return 0;
}
