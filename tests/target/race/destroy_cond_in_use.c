/* A condition variable is destroyed while another thread may still signal it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *user(void *arg)
{
    pthread_cond_signal(&cond); /* R1 */
    return arg;
}

static void *owner(void *arg)
{
    pthread_cond_destroy(&cond); /* R2 */
    return arg;
}

int main(void)
{
    run_both(user, owner);
    return 0;
}
