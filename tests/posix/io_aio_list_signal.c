/* lio_listio: a list of requests, a signal when all of them are done
 * text:   LIO_NOWAIT sends the signal after the last, with the value; NULL and LIO_NOP are passed over
 * expect: exit 0
 */
#include "aio_list.h"

static void *waits(void *unused)
{
    struct aiocb cb[N + 1], *list[N + 2];
    int fd = open_file();
    fill(cb, list, fd, 0, LIO_WRITE);
    OK(lio_listio(LIO_WAIT, list, N + 2, NULL));
    check_results(cb);
    OK(close(fd));
    return NULL;
}

static void *notified(void *unused)
{
    struct aiocb cb[N + 1], *list[N + 2];
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    sigset_t set;
    siginfo_t info;
    int fd = open_file();
    ev.sigev_value.sival_int = 7;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    fill(cb, list, fd, 1, LIO_WRITE);
    OK(lio_listio(LIO_NOWAIT, list, N + 2, &ev));
    memset(list, 0, sizeof list);
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_ASYNCIO);
    IS(info.si_value.sival_int, 7);
    check_results(cb);
    fill(cb, list, fd, 1, LIO_READ);
    OK(lio_listio(LIO_NOWAIT, list, N + 2, &ev));
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    check_results(cb);
    OK(memcmp(in[1], out[1], sizeof in[1]));
    OK(lio_listio(LIO_NOWAIT, list + N, 2, &ev)); /* nothing to do: told all the same */
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    OK(close(fd));
    return NULL;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    pthread_t a = start(waits, NULL), b = start(notified, NULL);
    join(a);
    join(b);
    return 0;
}
