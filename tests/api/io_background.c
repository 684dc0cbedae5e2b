/* Input and output in the background, by threads of ours (aio) and by the kernel.
 * Not controlled: io_uring_setup. */
#include "check.h"

#include <aio.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *nothing(void *arg) { return arg; }

int main(void)
{
    char name[] = "io_background-XXXXXX", got[8] = "";
    pthread_t t;
    IS(pthread_create(&t, NULL, nothing, NULL), 0);
    int fd = mkstemp(name);
    CHECK(fd >= 0);
    struct aiocb out = {.aio_fildes = fd, .aio_buf = "letters", .aio_nbytes = 8};
    struct aiocb in = {.aio_fildes = fd, .aio_buf = got, .aio_nbytes = 8};
    const struct aiocb *list[] = {&out};
    IS(aio_write(&out), 0);
    while (aio_error(&out) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    IS(aio_return(&out), 8);
    IS(aio_read(&in), 0);
    while (aio_error(&in) == EINPROGRESS)
        usleep(1000);
    IS(aio_return(&in), 8);
    CHECK(!strcmp(got, "letters"));

    struct io_uring_params p = {0};
    int ring = (int)syscall(SYS_io_uring_setup, 4, &p);
    CHECK(ring >= 0 || errno == ENOSYS || errno == EPERM);
    if (ring >= 0)
        IS(close(ring), 0);
    IS(pthread_join(t, NULL), 0);
    IS(close(fd), 0);
    IS(unlink(name), 0);
    return 0;
}
