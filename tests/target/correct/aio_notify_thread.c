/* Asynchronous writes whose ends are told by calls in threads of libc
 * cause:    none: each notification posts the semaphore that main waits for
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N 3
static sem_t done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_done;

static void on_done(union sigval v)
{
    struct aiocb *cb = v.sival_ptr;
    assert(aio_error(cb) == 0 && aio_return(cb) == 4);
    pthread_mutex_lock(&lock);
    n_done++;
    pthread_mutex_unlock(&lock);
    sem_post(&done);
}

int main(void)
{
    static struct aiocb cb[N];
    FILE *f = tmpfile();
    assert(f);
    sem_init(&done, 0, 0);
    for (int i = 0; i < N; i++) {
        cb[i].aio_fildes = fileno(f);
        cb[i].aio_buf = "abcd";
        cb[i].aio_nbytes = 4;
        cb[i].aio_offset = i * 4;
        cb[i].aio_sigevent.sigev_notify = SIGEV_THREAD;
        cb[i].aio_sigevent.sigev_notify_function = on_done;
        cb[i].aio_sigevent.sigev_value.sival_ptr = &cb[i];
        assert(aio_write(&cb[i]) == 0);
    }
    for (int i = 0; i < N; i++)
        sem_wait(&done);
    pthread_mutex_lock(&lock);
    assert(n_done == N);
    pthread_mutex_unlock(&lock);
    return 0;
}
