/* Mutexes with priority inheritance and protection
 * cause:    none: the protocols change who runs first on a real machine, not what is exclusive
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t inherit, protect;
static int a, b;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&inherit);
        a++;
        pthread_mutex_unlock(&inherit);
        if (!pthread_mutex_lock(&protect)) { /* EINVAL above the ceiling */
            b++;
            pthread_mutex_unlock(&protect);
        }
    }
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t t[2];
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&inherit, &attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_NONE);
    pthread_mutex_init(&protect, &attr);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(a == 6 && b == 6);
    pthread_mutex_destroy(&inherit);
    pthread_mutex_destroy(&protect);
    return 0;
}
