/* Asynchronous I/O: a request that is over belongs to the program again
 * text:   once aio_error is not EINPROGRESS the control block may be freed or used again, though
 *         the function that tells of it has not been called yet
 * expect: exit 0
 */
#include "check.h"
#include <aio.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>

enum { ROUNDS = 3 };
static sem_t told;

static void notify(union sigval v)
{
    IS(v.sival_int, 4);
    OK(sem_post(&told));
}

static void finish(struct aiocb *cb)
{
    const struct aiocb *list[1] = {cb};
    int e;
    while ((e = aio_error(cb)) == EINPROGRESS)
        TRUE(aio_suspend(list, 1, NULL) == 0 || errno == EINTR);
    IS(e, 0);
    IS(aio_return(cb), 5);
}

static void *request(void *arg)
{
    int fd = *(int *)arg;
    char in[6] = "";
    for (int i = 0; i < ROUNDS; i++) {
        struct aiocb *cb = calloc(1, sizeof *cb);
        cb->aio_fildes = fd;
        cb->aio_buf = in;
        cb->aio_nbytes = 5;
        cb->aio_sigevent.sigev_notify = SIGEV_THREAD;
        cb->aio_sigevent.sigev_notify_function = notify;
        cb->aio_sigevent.sigev_value.sival_int = 4;
        OK(aio_read(cb));
        finish(cb);
        OK(memcmp(in, "hello", 5));
        memset(cb, 0x55, sizeof *cb);
        sched_yield();
        for (size_t k = 0; k < sizeof *cb; k++)
            IS(((unsigned char *)cb)[k], 0x55);
        free(cb);
    }
    return NULL;
}

int main(void)
{
    char name[] = "aioXXXXXX";
    int fd = mkstemp(name);
    TRUE(fd >= 0);
    OK(unlink(name));
    IS(write(fd, "hello", 5), 5);
    OK(sem_init(&told, 0, 0));
    pthread_t a = start(request, &fd), b = start(request, &fd);
    for (int i = 0; i < 2 * ROUNDS; i++)
        OK(sem_wait(&told));
    join(a);
    join(b);
    return 0;
}
