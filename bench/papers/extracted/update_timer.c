/* Atomicity: a timer is looked at, then used; it is cancelled in between.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static int delay = 5;
static int *_Atomic timer = &delay;

static void *update(void *arg)
{
    if (timer)
        assert(*timer == 5);
    work(WORK);
    return arg;
}

static void *cancel(void *arg)
{
    timer = NULL;
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(update), b = start(cancel);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
