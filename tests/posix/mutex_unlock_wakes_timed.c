/* A timed lock with a far deadline is given the mutex at unlock
 * text:   timedlock waits like lock; with an hour to go it does not time out while the
 *         owner only needs moments
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *user(void *arg)
{
    for (int i = 0; i < 4; i++) {
        struct timespec t = in_ms(CLOCK_REALTIME, 3600000);
        OK(pthread_mutex_timedlock(&m, &t));
        n++;
        OK(pthread_mutex_unlock(&m));
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = start(user, NULL);
    for (int i = 0; i < 3; i++)
        join(t[i]);
    IS(n, 12);
    return 0;
}
