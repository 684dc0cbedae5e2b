/* Atomicity: the script to be compiled is a global; it is set and read again under a lock
 * each, and another thread sets it in between.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int script;

static void load(int which)
{
    pthread_mutex_lock(&lock);
    script = which;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int compiled = script;
    pthread_mutex_unlock(&lock);
    assert(compiled == which);
}

static void *first(void *arg)
{
    load(1);
    work(WORK);
    return arg;
}

static void *second(void *arg)
{
    load(2);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(first), b = start(second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
