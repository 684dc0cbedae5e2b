/* An alarm handler that posts ends waits without EINTR
 * text:   waits for a mutex, condition or join are not interrupted, but what the handler does may end
 *         them: here a thread woken by the handler's sem_post
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>
#include <sys/time.h>

static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void handler(int s) { sem_post(&sem); }

static void *owner(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    OK(pthread_mutex_lock(&m));
    OK(sem_post((sem_t *)arg));
    OK(sem_wait(&sem));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    struct itimerval it = {{0, 0}, {0, 5000}};
    sem_t ready;
    OK(sem_init(&sem, 0, 0));
    OK(sem_init(&ready, 0, 0));
    OK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL));
    pthread_t t = start(owner, &ready);
    while (sem_wait(&ready))
        IS(errno, EINTR);
    OK(setitimer(ITIMER_REAL, &it, NULL));
    OK(pthread_mutex_lock(&m)); /* until the handler lets the owner go on */
    OK(pthread_mutex_unlock(&m));
    t = (join(t), start(owner, &ready));
    while (sem_wait(&ready))
        IS(errno, EINTR);
    OK(setitimer(ITIMER_REAL, &it, NULL));
    join(t);
    return 0;
}
