/* Sockets between threads: pairs, a listening socket, MSG_WAITALL, large
 * sends, datagrams, time-outs on the socket, shutdown. */
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BIG 400000
static int pair[2], listener;
static struct sockaddr_in address;

static void *dribble(void *arg)
{
    for (int i = 0; i < 10; i++)
        IS(send(pair[1], "0123456789" + i, 1, 0), 1);
    return NULL;
}

static void *send_big(void *arg)
{
    static char data[BIG];
    memset(data, 'x', sizeof data);
    IS(send(pair[1], data, sizeof data, 0), sizeof data);
    IS(shutdown(pair[1], SHUT_WR), 0);
    return NULL;
}

static void *client(void *arg)
{
    char text[16];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0);
    IS(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    IS(write(fd, "hello", 5), 5);
    IS(recv(fd, text, 5, MSG_WAITALL), 5);
    CHECK(!memcmp(text, "HELLO", 5));
    IS(recv(fd, text, 1, 0), 0);
    IS(close(fd), 0);
    return NULL;
}

static void stream_pair(void)
{
    pthread_t t;
    char text[16] = "";
    IS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    IS(pthread_create(&t, NULL, dribble, NULL), 0);
    IS(recv(pair[0], text, 10, MSG_WAITALL), 10);
    CHECK(!memcmp(text, "0123456789", 10));
    IS(pthread_join(t, NULL), 0);
    FAILS(recv(pair[0], text, 1, MSG_DONTWAIT), EAGAIN);

    struct timeval soon = {0, 20000};
    long long start = now_ns(CLOCK_MONOTONIC);
    IS(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon), 0);
    FAILS(recv(pair[0], text, 1, 0), EAGAIN);
    CHECK(now_ns(CLOCK_MONOTONIC) - start >= 19000000);
    struct timeval none = {0, 0};
    IS(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none), 0);

    static char got[BIG];
    size_t n = 0;
    IS(pthread_create(&t, NULL, send_big, NULL), 0);
    for (ssize_t r; (r = recv(pair[0], got, sizeof got, 0)) != 0; n += (size_t)r)
        CHECK(r > 0 && got[0] == 'x');
    IS(n, BIG);
    IS(pthread_join(t, NULL), 0);
    IS(close(pair[0]), 0);
    IS(close(pair[1]), 0);
}

static void datagrams(void)
{
    int fd[2];
    char text[8];
    struct iovec iov = {text, sizeof text};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    IS(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), 0);
    IS(send(fd[0], "one", 3, 0), 3);
    IS(sendto(fd[0], "three", 5, 0, NULL, 0), 5);
    IS(recvmsg(fd[1], &m, 0), 3);
    IS(recvfrom(fd[1], text, sizeof text, 0, NULL, NULL), 5);
    CHECK(!memcmp(text, "three", 5));
    IS(close(fd[0]), 0);
    IS(close(fd[1]), 0);
}

static void server(void)
{
    pthread_t t;
    socklen_t len = sizeof address;
    char text[16];
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(listener >= 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    IS(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    IS(listen(listener, 4), 0);
    IS(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    IS(pthread_create(&t, NULL, client, NULL), 0);
    int fd = accept(listener, NULL, NULL);
    CHECK(fd >= 0);
    IS(recv(fd, text, 5, MSG_WAITALL), 5);
    for (int i = 0; i < 5; i++)
        text[i] = (char)(text[i] - 'a' + 'A');
    IS(send(fd, text, 5, MSG_NOSIGNAL), 5);
    IS(close(fd), 0);
    IS(pthread_join(t, NULL), 0);
    IS(close(listener), 0);

    struct sockaddr_in nobody = address; /* nobody listens there any more */
    fd = socket(AF_INET, SOCK_STREAM, 0);
    FAILS(connect(fd, (struct sockaddr *)&nobody, sizeof nobody), ECONNREFUSED);
    IS(close(fd), 0);
}

int main(void)
{
    stream_pair();
    datagrams();
    server();
    return 0;
}
