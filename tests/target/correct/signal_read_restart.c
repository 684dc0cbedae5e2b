/* A blocking read that goes on after handlers which post a semaphore
 * cause:    none: the reader is restarted, the byte comes in the end
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
    assert(read(data[0], &c, 1) == 1 && c == 'x');
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    sem_init(&handled, 0, 0);
    assert(pipe(data) == 0);
    pthread_create(&t, NULL, reader, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_kill(t, SIGUSR1);
        sem_wait(&handled);
    }
    assert(write(data[1], "x", 1) == 1);
    pthread_join(t, NULL);
    return 0;
}
