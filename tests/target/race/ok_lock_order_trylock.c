/* Two orders of two locks; one side does not wait for its second
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&b);
    if (!pthread_mutex_trylock(&a)) {
        n++;
        pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", n > 0);
    return 0;
}
