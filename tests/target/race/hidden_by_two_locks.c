/* The write holds one lock, the read another one; a third section of each orders them
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <unistd.h>

static int n, calls;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;

static void count(void)
{
    pthread_mutex_lock(&c);
    calls++;
    pthread_mutex_unlock(&c);
}

static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    n = 1; /* R1 */
    pthread_mutex_unlock(&a);
    count();
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    count();
    pthread_mutex_lock(&b);
    printf("%d\n", n); /* R2 */
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
