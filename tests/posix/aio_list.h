/* aio_list.h: a list of requests for the tests of lio_listio. */
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
