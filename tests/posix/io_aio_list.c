/* lio_listio: a list of requests, waited for or notified of as a whole
 * text:   LIO_WAIT returns when all are done, EIO if one has failed; LIO_NOWAIT notifies after the
 *         last; NULL and LIO_NOP are passed over; the own notification of each stays
 * expect: exit 0
 */
#include "aio_list.h"
#include <semaphore.h>

static sem_t done, each;

static void notify(union sigval v) { OK(sem_post(v.sival_ptr)); }

static void *waits(void *unused)
{
    struct aiocb cb[N + 1], *list[N + 2];
    int fd = open_file();
    fill(cb, list, fd, 0, LIO_WRITE);
    cb[1].aio_sigevent.sigev_notify = SIGEV_THREAD;
    cb[1].aio_sigevent.sigev_notify_function = notify;
    cb[1].aio_sigevent.sigev_value.sival_ptr = &each;
    OK(lio_listio(LIO_WAIT, list, N + 2, NULL));
    check_results(cb);
    OK(sem_wait(&each));
    fill(cb, list, fd, 0, LIO_READ);
    OK(lio_listio(LIO_WAIT, list, N + 2, NULL));
    check_results(cb);
    OK(memcmp(in[0], out[0], sizeof in[0]));
    fill(cb, list, fd, 0, LIO_READ);
    cb[2].aio_fildes = -1;
    FAILS(lio_listio(LIO_WAIT, list, N + 2, NULL), EIO);
    OK(aio_error(&cb[0]));
    IS(aio_error(&cb[2]), EBADF);
    IS(aio_return(&cb[2]), -1);
    OK(lio_listio(LIO_WAIT, list + N, 2, NULL)); /* nothing to do */
    OK(close(fd));
    return NULL;
}

static void *notified(void *unused)
{
    struct aiocb cb[N + 1], *list[N + 2];
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notify};
    int fd = open_file();
    ev.sigev_value.sival_ptr = &done;
    fill(cb, list, fd, 1, LIO_WRITE);
    OK(lio_listio(LIO_NOWAIT, list, N + 2, &ev));
    memset(list, 0, sizeof list);
    OK(sem_wait(&done));
    check_results(cb);
    fill(cb, list, fd, 1, LIO_READ);
    OK(lio_listio(LIO_NOWAIT, list, N + 2, &ev));
    OK(sem_wait(&done));
    check_results(cb);
    OK(memcmp(in[1], out[1], sizeof in[1]));
    OK(lio_listio(LIO_NOWAIT, list + N, 2, &ev)); /* nothing to do: told all the same */
    OK(sem_wait(&done));
    OK(close(fd));
    return NULL;
}

int main(void)
{
    OK(sem_init(&done, 0, 0));
    OK(sem_init(&each, 0, 0));
    pthread_t a = start(waits, NULL), b = start(notified, NULL);
    join(a);
    join(b);
    return 0;
}
