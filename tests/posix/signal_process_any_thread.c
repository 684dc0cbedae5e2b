/* A signal to the process is handled by one thread that does not block it
 * text:   it is delivered once, to some thread with the signal unblocked
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int n;
static pthread_t main_thread;
static sem_t handled;

static void handler(int s)
{
    n++;
    TRUE(!pthread_equal(pthread_self(), main_thread));
    sem_post(&handled);
}

static void *user(void *arg)
{
    for (;;)
        pause();
    return NULL;
}

int main(void)
{
    sigset_t set;
    main_thread = pthread_self();
    OK(sem_init(&handled, 0, 0));
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    pthread_t a = start(user, NULL), b = start(user, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    for (int i = 0; i < 3; i++) {
        OK(kill(getpid(), SIGUSR1));
        OK(sem_wait(&handled));
    }
    IS(n, 3);
    OK(pthread_cancel(a));
    OK(pthread_cancel(b));
    join(a);
    join(b);
    return 0;
}
