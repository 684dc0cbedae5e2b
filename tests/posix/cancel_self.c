/* A thread may cancel itself, and a finished thread may be cancelled
 * text:   a request to oneself acts at the next cancellation point; a request to a thread
 *         that ended and is not yet joined has no effect
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static int after;

static void *self(void *arg)
{
    OK(pthread_cancel(pthread_self()));
    after = 1;
    pthread_testcancel();
    after = 2;
    return NULL;
}

static void *ends(void *arg) { return (void *)4; }

int main(void)
{
    TRUE(join(start(self, NULL)) == PTHREAD_CANCELED);
    IS(after, 1);
    pthread_t t = start(ends, NULL);
    void *value = NULL;
    while (pthread_tryjoin_np(t, &value) == EBUSY)
        sched_yield();
    IS((long)value, 4);
    t = start(ends, NULL);
    OK(pthread_cancel(t));
    value = join(t);
    TRUE(value == (void *)4); /* no cancellation point in it */
    return 0;
}
