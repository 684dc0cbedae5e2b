/* Two threads wait for two signals: each takes one of those sent to the process
 * cause:    none: a signal that a thread has not taken is there for the other one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t set;

static void *take_one(void *arg)
{
    int signo;
    sigwait(&set, &signo);
    *(int *)arg = signo;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int got[2] = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, take_one, &got[i]);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(got[0] + got[1] == SIGUSR1 + SIGUSR2 && got[0] != got[1]);
    return 0;
}
