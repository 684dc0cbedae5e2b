/* Writing to a pipe or socket nobody reads: SIGPIPE and EPIPE
 * text:   the signal is sent to the writing thread and the call fails with EPIPE; MSG_NOSIGNAL
 *         leaves the signal out
 * expect: exit 0
 */
#include "check.h"
#include <sys/socket.h>

static __thread volatile sig_atomic_t n;
static void handler(int s) { n++; }

static void *user(void *arg)
{
    int p[2], s[2];
    OK(pipe(p));
    OK(close(p[0]));
    FAILS(write(p[1], "x", 1), EPIPE);
    IS(n, 1);
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    OK(close(s[0]));
    FAILS(send(s[1], "x", 1, MSG_NOSIGNAL), EPIPE);
    IS(n, 1);
    FAILS(send(s[1], "x", 1, 0), EPIPE);
    IS(n, 2);
    OK(close(p[1]));
    OK(close(s[1]));
    return NULL;
}

int main(void)
{
    OK(sigaction(SIGPIPE, &(struct sigaction){.sa_handler = handler}, NULL));
    pthread_t a = start(user, NULL);
    user(NULL);
    join(a);
    TRUE(signal(SIGPIPE, SIG_IGN) == handler);
    int p[2];
    OK(pipe(p));
    OK(close(p[0]));
    FAILS(write(p[1], "x", 1), EPIPE);
    return 0;
}
