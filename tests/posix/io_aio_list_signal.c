/* lio_listio: a list of requests, a signal when all of them are done
 * text:   LIO_NOWAIT sends the signal after the last, with the value; NULL and LIO_NOP are passed over
 * expect: exit 0
 */
#include "check.h"
#include <aio.h>

enum { N = 4 };
static char out[2][N][8], in[2][N][8];

/* A list of N requests and two entries that are none. */
static void fill(struct aiocb *cb, struct aiocb **list, int fd, int who, int opcode)
{
    for (int i = 0; i < N; i++) {
        memset(out[who][i], 'a' + i, 8);
        cb[i] = (struct aiocb){.aio_fildes = fd, .aio_offset = 8 * i, .aio_nbytes = 8};
        cb[i].aio_buf = opcode == LIO_WRITE ? out[who][i] : in[who][i];
        cb[i].aio_lio_opcode = opcode;
        cb[i].aio_sigevent.sigev_notify = SIGEV_NONE;
        list[i] = &cb[i];
    }
    cb[N] = (struct aiocb){.aio_fildes = -1, .aio_lio_opcode = LIO_NOP};
    list[N] = &cb[N];
    list[N + 1] = NULL;
}

static void check_results(struct aiocb *cb)
{
    for (int i = 0; i < N; i++) {
        OK(aio_error(&cb[i]));
        IS(aio_return(&cb[i]), 8);
    }
}

static int open_file(void)
{
    char name[] = "lioXXXXXX";
    int fd = mkstemp(name);
    TRUE(fd >= 0);
    OK(unlink(name));
    return fd;
}

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
