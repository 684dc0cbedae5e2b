/* A mutex is destroyed while another thread may still take it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  misuse
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
    pthread_mutex_lock(&lock); /* R1 */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *owner(void *arg)
{
    pthread_mutex_destroy(&lock); /* R2 */
    return arg;
}

int main(void)
{
    run_both(user, owner);
    return 0;
}
