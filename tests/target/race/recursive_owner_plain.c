/* A recursive lock by hand: who owns it is a plain variable that others read before they have the lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner;
static int depth, value;

static void enter(void)
{
    pthread_t me = pthread_self();
    if (owner != me) { /* R2 */
        pthread_mutex_lock(&lock);
        owner = me; /* R1 */
    }
    depth++;
}

static void leave(void)
{
    if (--depth)
        return;
    owner = 0;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    enter();
    enter();
    value++;
    leave();
    leave();
    return arg;
}

int main(void)
{
    run_both(work, work);
    return value != 2;
}
