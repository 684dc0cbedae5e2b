/* A cancellation that comes after a handler has run inside the wait
 * cause:    none: the wait is a cancellation point all the same
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static int data[2];
static sem_t handled;

static void on_signal(int signo) { sem_post(&handled); }

static void *reader(void *arg)
{
    char c;
    read(data[0], &c, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *value;
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    sem_init(&handled, 0, 0);
    assert(pipe(data) == 0);
    pthread_create(&t, NULL, reader, NULL);
    pthread_kill(t, SIGUSR1);
    sem_wait(&handled);
    pthread_cancel(t);
    assert(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED);
    return 0;
}
