/* Two locks in two orders, hours apart in most runs
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    L1-L2
 * class:    fails
 * finding:  blocked
 */
#include "threads.h"
#include <unistd.h>

static int from, to;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* L1 */
    from--, to++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *two(void *arg)
{
    usleep(200000);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* L2 */
    from++, to--;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d %d\n", from, to);
    return 0;
}
