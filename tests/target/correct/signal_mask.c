/* A handler that cannot meet a half-done update
 * cause:    none: the signal is blocked while the two counters differ
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static volatile sig_atomic_t entered, left, reports;
static atomic_int total;

static void report(int signo)
{
    assert(entered == left);
    reports++;
}

static void *worker(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (int i = 0; i < 3; i++) {
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        entered++;
        atomic_fetch_add(&total, 1);
        left++;
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, report);
    pthread_create(&t, NULL, worker, NULL);
    atomic_fetch_add(&total, 1);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    assert(total == 4 && reports <= 1);
    return 0;
}
