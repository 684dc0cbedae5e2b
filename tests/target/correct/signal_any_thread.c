/* Signals to the process that any of three threads may handle
 * cause:    none: each is handled by somebody before the sender sends the next
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
#include <unistd.h>

static atomic_int handled, stop;
static sem_t one_more;

static void on_signal(int signo)
{
    atomic_fetch_add(&handled, 1);
    sem_post(&one_more);
}

static void *worker(void *arg)
{
    while (!atomic_load(&stop))
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    sem_init(&one_more, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++) {
        kill(getpid(), SIGUSR1);
        sem_wait(&one_more);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(handled == 3);
    return 0;
}
