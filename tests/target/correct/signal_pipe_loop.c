/* An event loop that is woken by signal handlers through a pipe
 * cause:    none: each handler writes one byte, the loop reads as many
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define N 4
static int self_pipe[2];

static void on_signal(int signo)
{
    int before = errno;
    char c = (char)signo;
    assert(write(self_pipe[1], &c, 1) == 1);
    errno = before;
}

static void *loop(void *arg)
{
    for (int n = 0; n < N;) {
        struct pollfd p = {.fd = self_pipe[0], .events = POLLIN};
        char c[N];
        if (poll(&p, 1, -1) < 0) {
            assert(errno == EINTR);
            continue;
        }
        ssize_t r = read(self_pipe[0], c, sizeof c);
        assert(r > 0 && (c[0] == SIGUSR1 || c[0] == SIGUSR2));
        n += (int)r;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    assert(pipe(self_pipe) == 0);
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &a, NULL);
    pthread_create(&t, NULL, loop, NULL);
    for (int i = 0; i < N; i++)
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
    pthread_join(t, NULL);
    return 0;
}
