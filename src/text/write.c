/* write.c: see write.h. */
#include "text/write.h"

#include <errno.h>
#include <unistd.h>

int hd_write_all(int fd, const void *from, size_t n)
{
    for (const char *p = from; n;) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return k < 0 ? -errno : -EIO;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}
