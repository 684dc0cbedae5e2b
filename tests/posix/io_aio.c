/* Asynchronous I/O: status, result, suspend, signal, thread
 * text:   aio_error is EINPROGRESS until it is done, then aio_return gives the result; a bad
 *         descriptor is EBADF; suspend waits for one of a list
 * expect: exit 0
 */
#include "check.h"
#include <aio.h>
#include <fcntl.h>
#include <semaphore.h>

static sem_t done;

static void notify(union sigval v)
{
    IS(v.sival_int, 4);
    OK(sem_post(&done));
}

static void finish(struct aiocb *cb)
{
    const struct aiocb *list[1] = {cb};
    int e;
    while ((e = aio_error(cb)) == EINPROGRESS)
        TRUE(aio_suspend(list, 1, NULL) == 0 || errno == EINTR);
    IS(e, 0);
}

int main(void)
{
    char out[] = "hello", in[6] = "";
    int fd = open("aio.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    TRUE(fd >= 0);
    struct aiocb w = {.aio_fildes = fd, .aio_buf = out, .aio_nbytes = 5};
    w.aio_sigevent.sigev_notify = SIGEV_NONE;
    OK(aio_write(&w));
    finish(&w);
    IS(aio_return(&w), 5);
    OK(sem_init(&done, 0, 0));
    struct aiocb r = {.aio_fildes = fd, .aio_buf = in, .aio_nbytes = 5};
    r.aio_sigevent.sigev_notify = SIGEV_THREAD;
    r.aio_sigevent.sigev_notify_function = notify;
    r.aio_sigevent.sigev_value.sival_int = 4;
    OK(aio_read(&r));
    OK(sem_wait(&done));
    finish(&r);
    IS(aio_return(&r), 5);
    OK(memcmp(in, "hello", 5));
    IS(aio_cancel(fd, NULL), AIO_ALLDONE);
    FAILS(aio_cancel(-1, NULL), EBADF);
    OK(unlink("aio.tmp"));
    return 0;
}
