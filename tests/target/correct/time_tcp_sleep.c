/* Threads that talk over a TCP connection and sleep
 * cause:    none: both ends are in this process: a sleep costs nothing
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static void *client(void *arg)
{
    char c = 0;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    sleep(20);
    assert(connect(s, arg, sizeof(struct sockaddr_in)) == 0);
    sleep(20);
    assert(write(s, "x", 1) == 1);
    assert(read(s, &c, 1) == 1 && c == 'y');
    close(s);
    return arg;
}

int main(void)
{
    pthread_t t;
    char c = 0;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int l = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(l, (struct sockaddr *)&a, sizeof a) == 0 && listen(l, 4) == 0);
    getsockname(l, (struct sockaddr *)&a, &len);
    pthread_create(&t, NULL, client, &a);
    int s = accept(l, NULL, NULL);
    assert(s >= 0 && read(s, &c, 1) == 1 && c == 'x');
    sleep(20);
    assert(write(s, "y", 1) == 1);
    pthread_join(t, NULL);
    close(s);
    close(l);
    return 0;
}
