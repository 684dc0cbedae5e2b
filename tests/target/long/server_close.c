/* A connection is closed by the server while its last request is still answered
 * cause: the worker that answers does not hold on to the connection
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 3000 requests over a socket
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#ifndef WARM
#define WARM 3000
#endif

struct connection {
    int fd;
    long answered;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct connection *queued;
static int is_over;

static void *answer(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!queued && !is_over)
            pthread_cond_wait(&work, &lock);
        struct connection *c = queued;
        queued = NULL;
        pthread_mutex_unlock(&lock);
        if (!c)
            return NULL;
        char reply = 'r';
        if (write(c->fd, &reply, 1) != 1)
            return NULL;
        c->answered++; /* BUG */
    }
}

static void *client(void *arg)
{
    int fd = *(int *)arg;
    char byte = 'q';
    for (long i = 0; i < WARM; i++)
        if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1)
            break;
    shutdown(fd, SHUT_WR);
    return NULL;
}

int main(void)
{
    int end[2];
    pthread_t worker, user;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
        return 0;
    struct connection *c = calloc(1, sizeof *c);
    c->fd = end[0];
    pthread_create(&worker, NULL, answer, NULL);
    pthread_create(&user, NULL, client, &end[1]);
    char byte;
    while (read(c->fd, &byte, 1) == 1) {
        pthread_mutex_lock(&lock);
        queued = c;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&lock);
    }
    free(c);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    pthread_join(user, NULL);
    return 0;
}
