/* pselect waits for a signal or its time
 * cause:    none: the signal is let in only by pselect, so it is not missed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>

static volatile sig_atomic_t is_hit;
static void on_usr1(int signo) { is_hit = signo; }

static void *sender(void *arg)
{
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return arg;
}

int main(void)
{
    pthread_t t, self = pthread_self();
    sigset_t block, before;
    struct sigaction a = {.sa_handler = on_usr1};
    struct timespec most = {3600, 0}, none = {0, 1000};
    sigaction(SIGUSR1, &a, NULL);
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    assert(pselect(0, NULL, NULL, NULL, &none, NULL) == 0);
    pthread_create(&t, NULL, sender, &self);
    while (!is_hit) {
        int r = pselect(0, NULL, NULL, NULL, &most, &before);
        assert(r == 0 || errno == EINTR);
    }
    pthread_join(t, NULL);
    return 0;
}
