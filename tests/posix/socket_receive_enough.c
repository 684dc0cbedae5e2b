/* A receiver that asked for more than one byte waits for them: SO_RCVLOWAT, and MSG_PEEK with
 * MSG_WAITALL on TCP
 * text:   SO_RCVLOWAT: blocking receive calls block until they have received the smaller of the
 *         low-water mark value or the requested amount
 * expect: exit 0
 */
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int pair[2], other[2], near, far;

static void *by_mark(void *arg)
{
    char text[16];
    TRUE(recv(pair[1], text, sizeof text, 0) >= 5);
    return NULL;
}

static void *by_read(void *arg)
{
    char text[16];
    struct iovec two[2] = {{text, 2}, {text + 2, 2}};
    IS(read(other[1], text, 2), 2); /* it asks for less than the mark */
    IS(readv(other[1], two, 2), 4);
    TRUE(read(other[1], text, sizeof text) >= 5);
    return NULL;
}

static void *by_peek(void *arg)
{
    char text[6];
    IS(recv(near, text, sizeof text, MSG_PEEK | MSG_WAITALL), 6);
    IS(recv(near, text, sizeof text, 0), 6);
    IS(recv(near, text, sizeof text, MSG_PEEK | MSG_WAITALL), 0); /* the end */
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    int low = 5, on = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof where;
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    OK(setsockopt(pair[1], SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low));
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, other));
    OK(setsockopt(other[1], SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low));
    OK(bind(on, (struct sockaddr *)&where, sizeof where));
    OK(listen(on, 1));
    OK(getsockname(on, (struct sockaddr *)&where, &n));
    far = socket(AF_INET, SOCK_STREAM, 0);
    OK(connect(far, (struct sockaddr *)&where, n));
    near = accept(on, NULL, NULL);
    TRUE(near >= 0);
    OK(pthread_create(&a, NULL, by_mark, NULL));
    OK(pthread_create(&b, NULL, by_peek, NULL));
    OK(pthread_create(&c, NULL, by_read, NULL));
    for (int i = 0; i < 6; i++) {
        IS(write(pair[0], "x", 1), 1);
        IS(write(far, "x", 1), 1);
    }
    for (int i = 0; i < 11; i++)
        IS(write(other[0], "x", 1), 1);
    OK(shutdown(far, SHUT_WR));
    OK(pthread_join(a, NULL));
    OK(pthread_join(b, NULL));
    OK(pthread_join(c, NULL));
    return 0;
}
