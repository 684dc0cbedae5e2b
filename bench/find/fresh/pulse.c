/* An event that is set for a moment: who wakes too late sleeps on
 * cause:    lost wake-up: the state that is waited for does not stay
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   300 runs
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_set, waiting, served;

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    waiting++;
    pthread_cond_broadcast(&changed);
    while (!is_set)
        pthread_cond_wait(&changed, &m);
    served++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waits, NULL);
    pthread_mutex_lock(&m);
    while (waiting < 2)
        pthread_cond_wait(&changed, &m);
    is_set = 1;
    pthread_cond_broadcast(&changed);
    while (served < 1)
        pthread_cond_wait(&changed, &m);
    is_set = 0;
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
