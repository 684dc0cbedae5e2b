/* Work handed to threads as real-time signals with values
 * cause:    none: signals are queued, each is accepted once
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define N 6
static atomic_int sum;

static void *worker(void *arg)
{
    siginfo_t info;
    for (;;) {
        if (sigwaitinfo(arg, &info) < 0) {
            assert(errno == EINTR);
            continue;
        }
        assert(info.si_code == SI_QUEUE);
        if (!info.si_value.sival_int)
            return NULL;
        atomic_fetch_add(&sum, info.si_value.sival_int);
    }
}

int main(void)
{
    pthread_t t[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &set);
    for (int i = 1; i <= N + 2; i++) {
        union sigval v = {.sival_int = i <= N ? i : 0};
        assert(sigqueue(getpid(), SIGRTMIN, v) == 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == N * (N + 1) / 2);
    return 0;
}
