/* Asynchronous I/O: requests for one descriptor, cancelling, pipes, sync
 * text:   what was not begun can be cancelled, and notifies; a read from a pipe ends when
 *         something is written; aio_fsync comes after what was asked before; aio_suspend ends by time
 * expect: exit 0
 */
#include "check.h"
#include <aio.h>
#include <fcntl.h>
#include <semaphore.h>

static sem_t told;

static void notify(union sigval v) { OK(sem_post(v.sival_ptr)); }

static struct aiocb request(int fd, void *buf, size_t n)
{
    struct aiocb cb = {.aio_fildes = fd, .aio_buf = buf, .aio_nbytes = n};
    cb.aio_sigevent.sigev_notify = SIGEV_NONE;
    return cb;
}

static void finish(struct aiocb *cb, int error, long value)
{
    const struct aiocb *list[2] = {NULL, cb};
    int e;
    while ((e = aio_error(cb)) == EINPROGRESS)
        TRUE(aio_suspend(list, 2, NULL) == 0 || errno == EINTR);
    IS(e, error);
    IS(aio_return(cb), value);
}

static void *writes(void *arg)
{
    IS(write(*(int *)arg, "abc", 3), 3);
    return NULL;
}

static void check_pipe(void)
{
    int p[2];
    char a[4] = "", b[4] = "";
    struct timespec soon = {0, 20000000};
    OK(pipe(p));
    struct aiocb first = request(p[0], a, 3), second = request(p[0], b, 3);
    const struct aiocb *list[1] = {&first};
    second.aio_sigevent.sigev_notify = SIGEV_THREAD;
    second.aio_sigevent.sigev_notify_function = notify;
    second.aio_sigevent.sigev_value.sival_ptr = &told;
    OK(aio_read(&first));
    FAILS(aio_suspend(list, 1, &soon), EAGAIN);
    OK(aio_read(&second));
    IS(aio_cancel(p[0], &second), AIO_CANCELED);
    IS(aio_error(&second), ECANCELED);
    IS(aio_return(&second), -1);
    OK(sem_wait(&told));
    IS(aio_cancel(p[0], &second), AIO_ALLDONE);
    if (aio_cancel(p[0], NULL) == AIO_CANCELED) { /* nobody had begun with it */
        finish(&first, ECANCELED, -1);
        OK(aio_read(&first));
    }
    IS(aio_error(&first), EINPROGRESS);
    pthread_t t = start(writes, &p[1]);
    finish(&first, 0, 3);
    OK(memcmp(a, "abc", 3));
    join(t);
    struct aiocb out = request(p[1], a, 3);
    OK(aio_write(&out));
    finish(&out, 0, 3);
    OK(aio_read(&second));
    OK(sem_wait(&told));
    finish(&second, 0, 3);
    OK(memcmp(b, "abc", 3));
    OK(close(p[0]));
    OK(close(p[1]));
}

static void *file(void *unused)
{
    char name[] = "aioXXXXXX", in[4] = "";
    int fd = mkstemp(name);
    TRUE(fd >= 0);
    int ro = open(name, O_RDONLY);
    TRUE(ro >= 0);
    OK(unlink(name));
    struct aiocb w = request(fd, "abc", 3), s = request(fd, NULL, 0), r = request(fd, in, 3);
    struct aiocb bad = request(ro, NULL, 0), far = request(fd, in, 3);
    OK(aio_write(&w));
    OK(aio_fsync(O_SYNC, &s));
    OK(aio_read(&r));
    finish(&r, 0, 3);
    finish(&s, 0, 0); /* in the order of the requests */
    finish(&w, 0, 3);
    OK(memcmp(in, "abc", 3));
    OK(aio_fsync(O_DSYNC, &bad));
    finish(&bad, 0, 0);
    FAILS(aio_fsync(12345, &s), EINVAL);
    bad.aio_fildes = -1;
    FAILS(aio_fsync(O_SYNC, &bad), EBADF);
    bad = request(ro, in, 3);
    OK(aio_write(&bad));
    finish(&bad, EBADF, -1);
    far.aio_reqprio = -1;
    FAILS(aio_read(&far), EINVAL);
    OK(close(fd));
    OK(close(ro));
    return NULL;
}

int main(void)
{
    OK(sem_init(&told, 0, 0));
    pthread_t t = start(file, NULL), u = start(file, NULL);
    check_pipe();
    join(t);
    join(u);
    return 0;
}
