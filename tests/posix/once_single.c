/* pthread_once: the routine runs once, and is complete for every caller
 * text:   on return from any call with the control the routine has completed
 * expect: exit 0
 */
#include "check.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void init(void)
{
    sched_yield();
    value++;
}

static void *user(void *arg)
{
    OK(pthread_once(&once, init));
    IS(value, 1);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = start(user, NULL);
    OK(pthread_once(&once, init));
    for (int i = 0; i < 3; i++)
        join(t[i]);
    IS(value, 1);
    return 0;
}
