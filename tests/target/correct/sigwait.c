/* Signals taken by a thread made for it
 * cause:    none: blocked everywhere, received by sigwait
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reloads;

static void *signals(void *arg)
{
    for (;;) {
        int signo;
        if (sigwait(arg, &signo))
            return arg;
        if (signo == SIGTERM)
            return NULL;
        pthread_mutex_lock(&m);
        reloads++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    void *failed;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, signals, &set);
    for (int i = 1; i <= 2; i++) {
        pthread_kill(t, SIGHUP);
        pthread_mutex_lock(&m);
        while (reloads < i)
            pthread_cond_wait(&changed, &m);
        pthread_mutex_unlock(&m);
    }
    pthread_kill(t, SIGTERM);
    pthread_join(t, &failed);
    assert(!failed && reloads == 2);
    return 0;
}
