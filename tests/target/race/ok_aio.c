/* Asynchronous reads: the buffer is looked at after aio_suspend(), or in the thread that is told
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <aio.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char first[8], second[8];
static int told;
static sem_t done;

static void tell(union sigval v)
{
    told = ((char *)v.sival_ptr)[0];
    sem_post(&done);
}

int main(void)
{
    char name[] = "/tmp/ok_aio_XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    if (write(fd, "abcdefgh", 8) != 8)
        return 1;
    sem_init(&done, 0, 0);
    struct aiocb a = {.aio_fildes = fd, .aio_buf = first, .aio_nbytes = 4};
    struct aiocb b = {.aio_fildes = fd, .aio_buf = second, .aio_nbytes = 4, .aio_offset = 4};
    b.aio_sigevent.sigev_notify = SIGEV_THREAD;
    b.aio_sigevent.sigev_notify_function = tell;
    b.aio_sigevent.sigev_value.sival_ptr = second;
    aio_read(&a);
    aio_read(&b);
    const struct aiocb *list[] = {&a};
    while (aio_error(&a) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    if (aio_return(&a) != 4 || first[0] != 'a')
        abort();
    sem_wait(&done);
    return told != 'e';
}
