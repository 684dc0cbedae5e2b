/* Threads exclude each other by locks on parts of a file
 * cause:    none: each has its own open file description, so the kernel tells them apart
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/ofd-XXXXXX";

static void *worker(void *arg)
{
    int fd = open(path, O_RDWR), n;
    struct flock l = {.l_type = F_WRLCK, .l_len = 1};
    for (int i = 0; i < 2; i++) {
        l.l_type = F_WRLCK;
        if (fcntl(fd, F_OFD_SETLKW, &l) || pread(fd, &n, sizeof n, 8) != sizeof n)
            abort();
        n++;
        if (pwrite(fd, &n, sizeof n, 8) != sizeof n)
            abort();
        l.l_type = F_UNLCK;
        fcntl(fd, F_OFD_SETLK, &l);
    }
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int fd = mkstemp(path), n = 0;
    if (fd < 0 || pwrite(fd, &n, sizeof n, 8) != sizeof n)
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (pread(fd, &n, sizeof n, 8) != sizeof n)
        return 1;
    unlink(path);
    assert(n == 4);
    return 0;
}
