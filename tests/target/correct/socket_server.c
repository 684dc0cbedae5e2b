/* A server thread accepts on loopback, one thread for each connection
 * cause:    none: all ends are threads of this process
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int listening;
static struct sockaddr_in at = {.sin_family = AF_INET};
static _Atomic int served;

static void *serve(void *arg)
{
    int fd = (int)(long)arg;
    char c;
    while (read(fd, &c, 1) == 1) {
        c++;
        if (write(fd, &c, 1) != 1)
            break;
    }
    close(fd);
    served++;
    return NULL;
}

static void *accept_two(void *arg)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, serve, (void *)(long)accept(listening, NULL, NULL));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return arg;
}

static void *client(void *arg)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char c = 'a';
    if (connect(fd, (struct sockaddr *)&at, sizeof at))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 1)
            return NULL;
    close(fd);
    return c == 'c' ? arg : NULL;
}

int main(void)
{
    pthread_t server, t[2];
    socklen_t len = sizeof at;
    void *good;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&at, sizeof at) || listen(listening, 4) ||
        getsockname(listening, (struct sockaddr *)&at, &len))
        return 1;
    pthread_create(&server, NULL, accept_two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, &at);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], &good);
        assert(good);
    }
    pthread_join(server, NULL);
    assert(served == 2);
    return 0;
}
