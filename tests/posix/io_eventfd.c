/* eventfd: counting, semaphore mode, EAGAIN, limits
 * text:   a read gives the count and sets it to 0, or 1 in semaphore mode; a write that would
 *         pass the maximum blocks or is EAGAIN
 * expect: exit 0
 */
#include "check.h"
#include <stdint.h>
#include <sys/eventfd.h>

static int fd;

static void *writer(void *arg)
{
    OK(eventfd_write(fd, 5));
    return NULL;
}

int main(void)
{
    eventfd_t v;
    uint64_t max = UINT64_MAX;
    fd = eventfd(3, 0);
    TRUE(fd >= 0);
    OK(eventfd_read(fd, &v));
    IS(v, 3);
    pthread_t t = start(writer, NULL);
    OK(eventfd_read(fd, &v)); /* waits */
    IS(v, 5);
    join(t);
    OK(close(fd));
    fd = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    for (int i = 0; i < 2; i++) {
        OK(eventfd_read(fd, &v));
        IS(v, 1);
    }
    FAILS(eventfd_read(fd, &v), EAGAIN);
    FAILS(write(fd, &max, sizeof max), EINVAL);
    FAILS(read(fd, &v, 4), EINVAL);
    max--;
    IS(write(fd, &max, sizeof max), sizeof max);
    FAILS(eventfd_write(fd, 1), EAGAIN);
    FAILS(eventfd(0, 0x1234567), EINVAL);
    return 0;
}
