/* Pipes between threads: a message to and fro, a write larger than the pipe,
 * several writers whose small messages stay whole, vectors, the end of data. */
#include "check.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#define BIG 300000
static int ping[2], pong[2], big[2], many[2];

static void *echo(void *arg)
{
    char c;
    for (int i = 0; i < 20; i++) {
        IS(read(ping[0], &c, 1), 1);
        c++;
        IS(write(pong[1], &c, 1), 1);
    }
    return NULL;
}

static void *write_big(void *arg)
{
    static unsigned char data[BIG];
    for (int i = 0; i < BIG; i++)
        data[i] = (unsigned char)(i * 7);
    IS(write(big[1], data, BIG), BIG); /* blocking: all of it or nothing */
    IS(close(big[1]), 0);
    return NULL;
}

static void *write_many(void *arg)
{
    char message[64];
    memset(message, (int)(long)arg, sizeof message);
    for (int i = 0; i < 10; i++)
        IS(write(many[1], message, sizeof message), sizeof message);
    return NULL;
}

static void small_and_large(void)
{
    pthread_t t;
    char c;
    IS(pipe(ping), 0);
    IS(pipe2(pong, O_CLOEXEC), 0);
    IS(pthread_create(&t, NULL, echo, NULL), 0);
    for (int i = 0; i < 20; i++) {
        c = (char)i;
        IS(write(ping[1], &c, 1), 1);
        IS(read(pong[0], &c, 1), 1);
        IS(c, i + 1);
    }
    IS(pthread_join(t, NULL), 0);

    static unsigned char got[BIG];
    size_t n = 0;
    IS(pipe(big), 0);
    IS(pthread_create(&t, NULL, write_big, NULL), 0);
    for (ssize_t r; (r = read(big[0], got + n, sizeof got - n)) != 0; n += (size_t)r)
        CHECK(r > 0);
    IS(n, BIG);
    for (int i = 0; i < BIG; i++)
        CHECK(got[i] == (unsigned char)(i * 7));
    IS(pthread_join(t, NULL), 0);
}

static void whole_messages(void)
{
    pthread_t t[3];
    int seen[3] = {0};
    IS(pipe(many), 0);
    for (long i = 0; i < 3; i++)
        IS(pthread_create(&t[i], NULL, write_many, (void *)('a' + i)), 0);
    for (int i = 0; i < 30; i++) {
        char message[64];
        IS(read(many[0], message, sizeof message), sizeof message);
        for (size_t k = 1; k < sizeof message; k++)
            CHECK(message[k] == message[0]);
        CHECK(message[0] >= 'a' && message[0] <= 'c');
        seen[message[0] - 'a']++;
    }
    for (int i = 0; i < 3; i++) {
        IS(seen[i], 10);
        IS(pthread_join(t[i], NULL), 0);
    }
}

static void vectors_and_errors(void)
{
    int fd[2];
    char a[3], b[4];
    struct iovec out[2] = {{"abc", 3}, {"defg", 4}}, in[2] = {{a, 3}, {b, 4}};
    IS(pipe2(fd, O_NONBLOCK), 0);
    FAILS(read(fd[0], a, 1), EAGAIN);
    FAILS(read(fd[1], a, 1), EBADF);
    FAILS(write(fd[0], a, 1), EBADF);
    IS(writev(fd[1], out, 2), 7);
    IS(readv(fd[0], in, 2), 7);
    CHECK(!memcmp(a, "abc", 3) && !memcmp(b, "defg", 4));
    IS(close(fd[1]), 0);
    IS(read(fd[0], a, 1), 0);
    IS(close(fd[0]), 0);
    FAILS(close(fd[0]), EBADF);

    signal(SIGPIPE, SIG_IGN);
    IS(pipe(fd), 0);
    IS(close(fd[0]), 0);
    FAILS(write(fd[1], a, 1), EPIPE);
    IS(close(fd[1]), 0);
}

int main(void)
{
    small_and_large();
    whole_messages();
    vectors_and_errors();
    return 0;
}
