/* echo_client.c: opens several connections to echo_server, sends a line on each of
 * them before it reads an answer, and asks in the end whether all were counted.
 *   echo_client PORT CONNECTIONS LINES [TOTAL]
 * TOTAL is the number that the server should have counted (as many as were sent;
 * 0: do not ask).
 * Exit 0: every answer was right; 1: one was not; 2: no connection.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 16 };

static int open_connection(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) {
        fprintf(stderr, "echo_client: cannot connect to port %d: %s\n", port, strerror(errno));
        exit(2);
    }
    return fd;
}

static void say(int fd, const char *line)
{
    if (write(fd, line, strlen(line)) != (ssize_t)strlen(line)) {
        fprintf(stderr, "echo_client: the server does not listen any more\n");
        exit(1);
    }
}

static void want(int fd, const char *line)
{
    char got[256] = "";
    size_t n = 0;
    while (n + 1 < sizeof got && read(fd, got + n, 1) == 1 && got[n++] != '\n')
        ;
    if (strcmp(got, line)) {
        got[strcspn(got, "\n")] = 0;
        fprintf(stderr, "echo_client: got \"%s\" instead of \"%.*s\"\n", got,
                (int)strcspn(line, "\n"), line);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int fd[MAX_CONNECTIONS], n = argc > 3 ? atoi(argv[2]) : 0, lines = argc > 3 ? atoi(argv[3]) : 0;
    int total = argc > 4 ? atoi(argv[4]) : n * lines;
    char text[32];
    if (n < 1 || n > MAX_CONNECTIONS || lines < 0) {
        fprintf(stderr, "usage: echo_client PORT CONNECTIONS LINES [TOTAL]\n");
        return 64;
    }
    for (int i = 0; i < n; i++)
        fd[i] = open_connection(atoi(argv[1]));
    for (int k = 0; k < lines; k++) {
        for (int i = 0; i < n; i++)
            say(fd[i], "hello\n");
        for (int i = 0; i < n; i++)
            want(fd[i], "hello\n");
    }
    if (total) {
        snprintf(text, sizeof text, "%d\n", total);
        say(fd[0], "count\n");
        want(fd[0], text);
    }
    return 0;
}
