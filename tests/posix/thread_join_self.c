/* pthread_join: EDEADLK for oneself, EINVAL for a detached thread
 * text:   a join with oneself is a deadlock and fails; a thread that is not joinable
 *         is EINVAL
 * expect: exit 0
 */
#include "check.h"

static pthread_barrier_t both;

static void *user(void *arg)
{
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}

int main(void)
{
    IS(pthread_join(pthread_self(), NULL), EDEADLK);
    OK(pthread_barrier_init(&both, NULL, 2));
    pthread_t t = start(user, NULL);
    pthread_barrier_wait(&both);
    OK(pthread_detach(t));
    IS(pthread_join(t, NULL), EINVAL);
    IS(pthread_detach(t), EINVAL);
    pthread_barrier_wait(&both);
    return 0;
}
