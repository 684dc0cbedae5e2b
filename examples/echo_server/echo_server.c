/* echo_server.c: sends every line back, one thread for each connection; the line
 * "count" is answered with the number of lines echoed so far. Ends on SIGTERM.
 *   echo_server PORT
 *
 * The mistake: `echoed` is counted up by all threads without a lock. Two lines at
 * the same time may count as one, which no client notices until it asks.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CLIENTS = 64, MAX_LINE = 256 };

static long echoed;
static volatile sig_atomic_t is_over;

static void on_term(int signo)
{
    (void)signo;
    is_over = 1;
}

static int reply(int fd, const char *line, size_t n)
{
    char text[64];
    if (n == 6 && !memcmp(line, "count\n", 6)) {
        n = (size_t)snprintf(text, sizeof text, "%ld\n", echoed);
        line = text;
    } else {
        echoed = echoed + 1; /* not protected */
    }
    return write(fd, line, n) == (ssize_t)n ? 0 : -1;
}

static void *serve(void *arg)
{
    int fd = (int)(long)arg;
    char line[MAX_LINE];
    size_t n = 0;
    while (n < sizeof line && read(fd, line + n, 1) == 1)
        if (line[n++] == '\n') {
            if (reply(fd, line, n))
                break;
            n = 0;
        }
    close(fd);
    return NULL;
}

static int listen_on(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 16)) {
        fprintf(stderr, "echo_server: cannot listen on port %d: %s\n", port, strerror(errno));
        exit(1);
    }
    return fd;
}

int main(int argc, char **argv)
{
    pthread_t thread[MAX_CLIENTS];
    int n = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: echo_server PORT\n");
        return 64;
    }
    sigset_t term, before;
    struct sigaction on = {.sa_handler = on_term};
    sigaction(SIGTERM, &on, NULL);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before); /* comes only while ppoll waits */
    int door = listen_on(atoi(argv[1]));
    printf("ready on port %s\n", argv[1]);
    fflush(stdout);
    while (!is_over && n < MAX_CLIENTS) {
        struct pollfd p = {door, POLLIN, 0};
        int fd = ppoll(&p, 1, NULL, &before) > 0 ? accept(door, NULL, NULL) : -1;
        if (fd >= 0 && pthread_create(&thread[n], NULL, serve, (void *)(long)fd) == 0)
            n++;
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
