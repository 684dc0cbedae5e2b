/* FIFOs: opening waits for the other end; ENXIO, EEXIST
 * text:   opening for reading waits for a writer and the other way round; a non-blocking open for
 *         writing without a reader is ENXIO
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

static void *writer(void *arg)
{
    int fd = open("fifo.tmp", O_WRONLY);
    TRUE(fd >= 0);
    IS(write(fd, "hello", 5), 5);
    OK(close(fd));
    return NULL;
}

int main(void)
{
    char buf[8];
    unlink("fifo.tmp");
    OK(mkfifo("fifo.tmp", 0600));
    FAILS(mkfifo("fifo.tmp", 0600), EEXIST);
    FAILS(open("fifo.tmp", O_WRONLY | O_NONBLOCK), ENXIO);
    pthread_t t = start(writer, NULL);
    int fd = open("fifo.tmp", O_RDONLY);
    TRUE(fd >= 0);
    IS(read(fd, buf, 5), 5);
    IS(read(fd, buf, 5), 0);
    join(t);
    OK(close(fd));
    OK(unlink("fifo.tmp"));
    return 0;
}
