/* client.c: talks to memcached over a unix socket and checks every answer.
 *   client SOCKET add N       adds 1 to the counter N times (and makes it, if need be)
 *   client SOCKET store N     sets, reads and deletes keys of its own, N times
 *   client SOCKET expect N    the counter must be N
 * Exit 0: every answer was right; 1: one was not; 2: no connection.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static FILE *in, *out;
static char answer[512];

static void connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) {
        fprintf(stderr, "client: cannot connect to %s: %s\n", path, strerror(errno));
        exit(2);
    }
    in = fdopen(fd, "r");
    out = fdopen(dup(fd), "w");
}

static void hear(const char *question)
{
    if (!fgets(answer, sizeof answer, in)) {
        fprintf(stderr, "client: the server hung up after '%s'\n", question);
        exit(1);
    }
    answer[strcspn(answer, "\r\n")] = 0;
}

static void ask(const char *question)
{
    fprintf(out, "%s\r\n", question);
    fflush(out);
    hear(question);
}

static void want(const char *question, const char *right)
{
    if (strcmp(answer, right)) {
        fprintf(stderr, "client: '%s' was answered with '%s' instead of '%s'\n", question, answer,
                right);
        exit(1);
    }
}

static void add(int n)
{
    ask("add counter 0 0 1\r\n0"); /* STORED, or NOT_STORED: somebody was faster */
    for (int i = 0; i < n; i++) {
        ask("incr counter 1");
        if (atoi(answer) <= 0) {
            fprintf(stderr, "client: incr was answered with '%s'\n", answer);
            exit(1);
        }
    }
}

static void store(int n)
{
    char line[128], key[32];
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "key-%d-%d", (int)getpid(), i);
        snprintf(line, sizeof line, "set %s 0 0 5\r\nvalue", key);
        ask(line);
        want(line, "STORED");
        snprintf(line, sizeof line, "get %s", key);
        ask(line);
        hear(line);
        want(line, "value");
        hear(line);
        want(line, "END");
        snprintf(line, sizeof line, "delete %s", key);
        ask(line);
        want(line, "DELETED");
    }
}

static void expect(const char *number)
{
    ask("get counter");
    hear("get counter");
    want("get counter", number);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: client SOCKET add|store|expect N\n");
        return 64;
    }
    connect_to(argv[1]);
    if (!strcmp(argv[2], "add"))
        add(atoi(argv[3]));
    else if (!strcmp(argv[2], "store"))
        store(atoi(argv[3]));
    else
        expect(argv[3]);
    return 0;
}
