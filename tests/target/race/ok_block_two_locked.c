/* Blocks that must be atomic, and are: one lock around both variables in each of them
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <heddle/heddle.h>

static int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
    heddle_atomic_begin();
    pthread_mutex_lock(&lock);
    int a = x;
    int b = y;
    pthread_mutex_unlock(&lock);
    heddle_atomic_end();
    printf("%d %d\n", a, b);
    return arg;
}

static void *writer(void *arg)
{
    heddle_atomic_begin();
    pthread_mutex_lock(&lock);
    y = 1;
    x = 1;
    pthread_mutex_unlock(&lock);
    heddle_atomic_end();
    return arg;
}

int main(void)
{
    run_both(reader, writer);
    return 0;
}
