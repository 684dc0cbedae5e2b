/* line_client.h: what the clients of the servers in bench/real share: connections to a unix
 * socket, lines sent and lines expected. A client is one file that includes this one and
 * states PROGRAM, its name in messages. Waits up to a minute for the server to start, and as long
 * for each reply; whatever goes wrong ends the client with status 1 and one sentence. */
#ifndef HEDDLE_BENCH_LINE_CLIENT_H
#define HEDDLE_BENCH_LINE_CLIENT_H
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, MAX_LINE = 512, WAIT_SECONDS = 60 };

static const char *path;
static int rounds, threads;

struct link {
    int fd, id;
    char in[4096]; /* received, not yet taken: in[from..to) */
    size_t from, to;
};

static _Noreturn void fail(const struct link *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, PROGRAM ": connection %d: ", l->id);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

/* A server that is not there yet refuses, or has not made its socket. */
static void open_link(struct link *l, int id)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = WAIT_SECONDS};
    memset(l, 0, sizeof *l);
    l->id = id;
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    for (int tries = 0; tries < WAIT_SECONDS * 100; tries++) {
        l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (l->fd >= 0 && !connect(l->fd, (struct sockaddr *)&to, sizeof to)) {
            setsockopt(l->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
            return;
        }
        close(l->fd);
        usleep(10000);
    }
    fail(l, "cannot connect to %s: %s", path, strerror(errno));
}

static void say(struct link *l, const char *fmt, ...)
{
    char text[MAX_LINE];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (int done = 0; done < n;) {
        ssize_t w = send(l->fd, text + done, (size_t)(n - done), MSG_NOSIGNAL);
        if (w < 0)
            fail(l, "send: %s", strerror(errno));
        done += (int)w;
    }
}

/* Takes one line without its end; false if the server hung up. */
static int hear(struct link *l, char *line)
{
    size_t n = 0;
    for (;;) {
        if (l->from == l->to) {
            ssize_t r = recv(l->fd, l->in, sizeof l->in, 0);
            if (r < 0 && errno != ECONNRESET)
                fail(l, "recv: %s", strerror(errno));
            if (r <= 0)
                return 0;
            l->from = 0;
            l->to = (size_t)r;
        }
        char c = l->in[l->from++];
        if (c == '\n' && n && line[n - 1] == '\r') {
            line[n - 1] = 0;
            return 1;
        }
        line[n++] = c;
        if (n == MAX_LINE)
            fail(l, "a reply without an end");
    }
}

static void want(struct link *l, const char *fmt, ...)
{
    char expected[MAX_LINE], line[MAX_LINE];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(expected, sizeof expected, fmt, ap);
    va_end(ap);
    if (!hear(l, line))
        fail(l, "the server hung up instead of saying '%s'", expected);
    if (strcmp(line, expected))
        fail(l, "'%s' instead of '%s'", line, expected);
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* What differs from server to server. */
struct client {
    int rounds, threads;                                /* unless the command line says others */
    void (*begin)(struct link *l);                      /* the shared counter is 0 */
    void (*drive)(struct link *l);                      /* all rounds of one connection */
    void (*end)(struct link *l, const char *total);     /* the shared counter is `total` */
    const char *stop;                                   /* ends the server */
};
static const struct client *client;

static void *drive_link(void *arg)
{
    client->drive(arg);
    return NULL;
}

/* Returns the seconds from the first reply to the last. */
static double drive_all(struct link *links)
{
    pthread_t t[MAX_THREADS];
    char total[32];
    for (int i = 1; i <= threads; i++)
        open_link(&links[i], i);
    client->begin(&links[0]);
    double began = now();
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, drive_link, &links[i + 1]);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    snprintf(total, sizeof total, "%d", rounds * threads);
    client->end(&links[0], total);
    return now() - began;
}

/* main of a client: PROGRAM SOCKET [ROUNDS [THREADS]]; 0 rounds: the server is only stopped. */
static int run_client(const struct client *c, int argc, char **argv)
{
    static struct link links[MAX_THREADS + 1];
    char line[MAX_LINE];
    client = c;
    path = argc > 1 ? argv[1] : "";
    rounds = argc > 2 ? atoi(argv[2]) : c->rounds;
    threads = argc > 3 ? atoi(argv[3]) : c->threads;
    if (!*path || rounds < 0 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: " PROGRAM " SOCKET [ROUNDS [THREADS]]\n");
        return 64;
    }
    open_link(&links[0], 0);
    double seconds = rounds ? drive_all(links) : 0;
    say(&links[0], "%s", c->stop);
    while (hear(&links[0], line))
        ;
    printf("%.6f\n", seconds);
    return 0;
}

#endif
