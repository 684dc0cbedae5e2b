/* Blocking waits that are cancellation points
 * text:   cond waits, sem_wait, join, sigwait, pause, sleep, nanosleep and msgrcv act on a
 *         request that comes before or during the wait
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;

static void unlock(void *arg) { OK(pthread_mutex_unlock(&m)); }

static void *user(void *arg)
{
    struct timespec far = in_ms(CLOCK_REALTIME, 3600000), hour = {3600, 0};
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    switch ((long)arg) {
    case 0: sem_wait(&s); break;
    case 1: sem_timedwait(&s, &far); break;
    case 2: pthread_join(main_thread, NULL); break;
    case 3: sigwait(&set, &sig); break;
    case 4: sigwaitinfo(&set, NULL); break;
    case 5: sigtimedwait(&set, NULL, &hour); break;
    case 6: pause(); break;
    case 7: sleep(3600); break;
    case 8: nanosleep(&hour, NULL); break;
    case 9: clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &far, NULL); break;
    case 10:
        OK(pthread_mutex_lock(&m));
        pthread_cleanup_push(unlock, NULL);
        for (;;)
            pthread_cond_timedwait(&c, &m, &far);
        pthread_cleanup_pop(0);
        break;
    case 11: sigsuspend(&set); break;
    }
    return NULL;
}

int main(void)
{
    sigset_t set;
    main_thread = pthread_self();
    OK(sem_init(&s, 0, 0));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    for (long i = 0; i < 12; i++) {
        pthread_t t = start(user, (void *)i);
        OK(pthread_cancel(t));
        TRUE(join(t) == PTHREAD_CANCELED);
    }
    return 0;
}
