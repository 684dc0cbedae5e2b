/* readv, writev, pread, pwrite: scattered parts and positions
 * text:   vectors are filled one after the other; pread and pwrite do not move the offset; pipes
 *         cannot seek: ESPIPE; bad counts are EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/uio.h>

int main(void)
{
    char a[3], b[5], buf[16] = "";
    struct iovec out[2] = {{"abc", 3}, {"defgh", 5}}, in[2] = {{a, 3}, {b, 5}};
    int p[2];
    OK(pipe(p));
    IS(writev(p[1], out, 2), 8);
    IS(readv(p[0], in, 2), 8);
    OK(memcmp(a, "abc", 3));
    OK(memcmp(b, "defgh", 5));
    FAILS(writev(p[1], out, -1), EINVAL);
    FAILS(readv(p[0], in, 100000), EINVAL);
    IS(writev(p[1], out, 0), 0);
    FAILS(pread(p[0], buf, 1, 0), ESPIPE);
    FAILS(lseek(p[0], 0, SEEK_SET), ESPIPE);
    int fd = open("vectors.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    TRUE(fd >= 0);
    IS(pwrite(fd, "0123456789", 10, 0), 10);
    IS(lseek(fd, 0, SEEK_CUR), 0);
    IS(pread(fd, buf, 4, 3), 4);
    OK(memcmp(buf, "3456", 4));
    IS(pread(fd, buf, 4, 100), 0);
    IS(pwritev(fd, out, 2, 2), 8);
    IS(preadv(fd, in, 2, 2), 8);
    OK(memcmp(b, "defgh", 5));
    FAILS(pread(fd, buf, 4, -1), EINVAL);
    IS(lseek(fd, 0, SEEK_END), 10);
    OK(close(fd));
    OK(unlink("vectors.tmp"));
    return 0;
}
