/* Writers hold both locks, readers one of the two
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static int read_under(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    int seen = n;
    pthread_mutex_unlock(lock);
    return seen;
}

static void *reader(void *arg)
{
    return read_under(&a) + read_under(&b) > 2 ? arg : NULL;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
