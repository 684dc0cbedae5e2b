/* Shared mappings: seen by a child and in the file; private ones are not
 * text:   writes to MAP_SHARED change the object for all who map it; MAP_PRIVATE ones do not
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
    char buf[4];
    int fd = open("mmap.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    OK(ftruncate(fd, 4096));
    char *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    TRUE(s != MAP_FAILED && p != MAP_FAILED);
    p[1] = 'p'; /* its own copy from here on */
    pid_t child = fork();
    if (child == 0) {
        s[0] = 'c';
        p[0] = 'x';
        _exit(0);
    }
    IS(reap(child), 0);
    IS(s[0], 'c');
    IS(p[0], 0);
    OK(msync(s, 4096, MS_SYNC));
    IS(pread(fd, buf, 1, 0), 1);
    IS(buf[0], 'c');
    FAILS(msync(s + 1, 10, MS_SYNC), EINVAL);
    FAILS(munmap(s, 0), EINVAL);
    errno = 0;
    TRUE(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
    IS(errno, EINVAL);
    errno = 0;
    TRUE(mmap(NULL, 4096, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED);
    IS(errno, EBADF);
    OK(mprotect(p, 4096, PROT_READ));
    OK(munmap(s, 4096));
    OK(munmap(p, 4096));
    FAILS(mprotect(p, 4096, PROT_READ), ENOMEM);
    OK(unlink("mmap.tmp"));
    return 0;
}
