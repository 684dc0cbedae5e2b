/* A signal nobody waits for has no effect
 * text:   signal and broadcast do nothing if no thread is blocked; they are not counted
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    for (int i = 0; i < 3; i++) {
        OK(pthread_cond_signal(&c));
        OK(pthread_cond_broadcast(&c));
    }
    OK(pthread_mutex_lock(&m));
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    int r;
    while ((r = pthread_cond_timedwait(&c, &m, &t)) == 0)
        ;
    IS(r, ETIMEDOUT);
    OK(pthread_mutex_unlock(&m));
    OK(pthread_cond_destroy(&c));
    return 0;
}
