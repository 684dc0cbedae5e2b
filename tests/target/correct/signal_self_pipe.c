/* A handler writes to a pipe that a loop polls
 * cause:    none: write is safe in a handler; the loop reads what the handler wrote
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int wake[2];

static void on_signal(int signo)
{
    int before = errno;
    char c = (char)signo;
    if (write(wake[1], &c, 1) != 1)
        _exit(9);
    errno = before;
}

static void *sender(void *arg)
{
    for (int i = 0; i < 2; i++)
        pthread_kill(*(pthread_t *)arg, i ? SIGUSR1 : SIGUSR2);
    return NULL;
}

int main(void)
{
    pthread_t t, self = pthread_self();
    int sum = 0;
    char c;
    if (pipe(wake))
        return 1;
    fcntl(wake[0], F_SETFL, O_NONBLOCK);
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &a, NULL);
    pthread_create(&t, NULL, sender, &self);
    while (sum < SIGUSR1 + SIGUSR2) {
        struct pollfd p = {wake[0], POLLIN, 0};
        poll(&p, 1, -1);
        while (read(wake[0], &c, 1) == 1)
            sum += c;
    }
    pthread_join(t, NULL);
    assert(sum == SIGUSR1 + SIGUSR2);
    return 0;
}
