/* A child that queues signals to its parent, which counts them
 * cause:    none: real-time signals are queued, none is lost
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 4
static atomic_int sum;
static sem_t got;

static void on_signal(int signo, siginfo_t *info, void *context)
{
    atomic_fetch_add(&sum, info->si_value.sival_int);
    sem_post(&got);
}

static void *worker(void *arg)
{
    for (int i = 0; i < N; i++)
        while (sem_wait(&got))
            ;
    return arg;
}

int main(void)
{
    pthread_t t;
    int status;
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGRTMIN + 1, &a, NULL);
    sem_init(&got, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        for (int i = 1; i <= N; i++) {
            union sigval v = {.sival_int = i};
            sigqueue(parent, SIGRTMIN + 1, v);
        }
        _exit(0);
    }
    pthread_join(t, NULL);
    assert(waitpid(pid, &status, 0) == pid && status == 0);
    assert(sum == N * (N + 1) / 2);
    return 0;
}
