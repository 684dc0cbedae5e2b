/* A counter is read in one section of its lock and written in another
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * between:  R1-R2-R2
 */
#include "threads.h"

static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int value = n; /* R1 */
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int value)
{
    pthread_mutex_lock(&lock);
    n = value; /* R2 */
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    set(get() + 1);
    return arg;
}

int main(void)
{
    run_both(work, work);
    printf("%d\n", n);
    return 0;
}
