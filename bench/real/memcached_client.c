/* memcached_client.c: drives a memcached server over a unix socket and checks
 * every reply: THREADS connections, each setting, getting, incrementing and
 * deleting keys of its own, and all of them incrementing one shared counter
 * whose final value proves that no update was lost. Then ends the server by
 * `shutdown` (the server needs -A) and waits until it has hung up.
 *   memcached_client SOCKET [ROUNDS [THREADS]]
 * Exit 0 and the seconds from the first reply to the last: all were right. Waits
 * up to a minute for the server to start, and as long for each reply. */
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
static int rounds = 25, threads = 4;

struct link {
    int fd, id;
    char in[4096]; /* received, not yet taken: in[from..to) */
    size_t from, to;
};

static _Noreturn void fail(const struct link *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "memcached_client: connection %d: ", l->id);
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

static void want_value(struct link *l, const char *key, const char *value)
{
    say(l, "get %s\r\n", key);
    want(l, "VALUE %s 7 %zu", key, strlen(value));
    want(l, "%s", value);
    want(l, "END");
}

static void one_round(struct link *l, int i)
{
    char key[32], value[128], sum[32];
    snprintf(key, sizeof key, "key-%d-%d", l->id, i % 5);
    snprintf(value, sizeof value, "value %d of connection %d %.*s", i, l->id, i % 40,
             "........................................");
    say(l, "set %s 7 0 %zu\r\n%s\r\n", key, strlen(value), value);
    want(l, "STORED");
    want_value(l, key, value);
    say(l, "incr own-%d 3\r\n", l->id);
    want(l, "%d", 3 * (i + 1));
    snprintf(sum, sizeof sum, "%d", 3 * (i + 1));
    say(l, "get own-%d\r\n", l->id);
    want(l, "VALUE own-%d 0 %zu", l->id, strlen(sum));
    want(l, "%s", sum);
    want(l, "END");

    char line[MAX_LINE];
    say(l, "incr shared 1\r\n");
    if (!hear(l, line) || atoi(line) <= 0 || atoi(line) > rounds * threads)
        fail(l, "incr of the shared counter: '%s'", line);

    if (i % 3 == 2) {
        say(l, "delete %s\r\n", key);
        want(l, "DELETED");
        say(l, "get %s\r\n", key);
        want(l, "END");
    }
}

static void *drive(void *arg)
{
    struct link *l = arg;
    say(l, "set own-%d 0 0 1\r\n0\r\n", l->id);
    want(l, "STORED");
    for (int i = 0; i < rounds; i++)
        one_round(l, i);
    return NULL;
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static struct link links[MAX_THREADS + 1];
    pthread_t t[MAX_THREADS];
    char total[32], line[MAX_LINE];
    path = argc > 1 ? argv[1] : "";
    rounds = argc > 2 ? atoi(argv[2]) : rounds;
    threads = argc > 3 ? atoi(argv[3]) : threads;
    if (!*path || rounds < 1 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: memcached_client SOCKET [ROUNDS [THREADS]]\n");
        return 64;
    }
    struct link *first = &links[0];
    for (int i = 0; i <= threads; i++)
        open_link(&links[i], i);
    say(first, "set shared 0 0 1\r\n0\r\n");
    want(first, "STORED");
    double began = now();
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, drive, &links[i + 1]);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    snprintf(total, sizeof total, "%d", rounds * threads);
    say(first, "get shared\r\n");
    want(first, "VALUE shared 0 %zu", strlen(total));
    want(first, "%s", total);
    want(first, "END");
    double seconds = now() - began;
    say(first, "shutdown\r\n");
    while (hear(first, line))
        ;
    printf("%.6f\n", seconds);
    return 0;
}
