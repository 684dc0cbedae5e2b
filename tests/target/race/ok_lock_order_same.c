/* One thread takes two locks in two orders, the others in none
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n, m;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    n++, m++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *one(void *arg)
{
    both(&a, &b);
    both(&b, &a);
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    m++;
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d %d\n", n, m);
    return 0;
}
