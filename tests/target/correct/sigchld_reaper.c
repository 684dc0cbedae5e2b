/* Children that are reaped by a SIGCHLD handler while threads work
 * cause:    none: the handler reaps all that have ended, main waits for its count
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 3
static atomic_int reaped, work;
static sem_t changed;

static void on_child(int signo)
{
    int before = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        atomic_fetch_add(&reaped, 1);
    sem_post(&changed);
    errno = before;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 10; i++)
        atomic_fetch_add(&work, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&changed, 0, 0);
    signal(SIGCHLD, on_child);
    pthread_create(&t, NULL, worker, NULL);
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0)
            _exit(0);
    while (atomic_load(&reaped) < CHILDREN)
        sem_wait(&changed);
    pthread_join(t, NULL);
    assert(work == 10);
    return 0;
}
