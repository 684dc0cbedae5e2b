/* Asynchronous reads and writes that are waited for by aio_suspend and by polling
 * cause:    none: no result is used before its request has ended
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *file;

static void wait_for(struct aiocb *cb)
{
    const struct aiocb *list[1] = {cb};
    while (aio_error(cb) == EINPROGRESS)
        assert(aio_suspend(list, 1, NULL) == 0 || errno == EINTR || errno == EAGAIN);
}

static void *worker(void *arg)
{
    long at = (long)arg * 4;
    char in[4], out[4] = {'a', 'b', 'c', (char)('0' + (long)arg)};
    struct aiocb cb = {.aio_fildes = fileno(file), .aio_buf = out, .aio_nbytes = 4, .aio_offset = at};
    assert(aio_write(&cb) == 0);
    wait_for(&cb);
    assert(aio_return(&cb) == 4);
    cb.aio_buf = in;
    assert(aio_read(&cb) == 0);
    wait_for(&cb);
    assert(aio_return(&cb) == 4 && !memcmp(in, out, 4));
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    file = tmpfile();
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
