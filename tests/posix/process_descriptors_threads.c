/* Descriptors belong to the process: a thread may close what another opened
 * text:   all threads share the descriptors; the lowest free number is given
 * expect: exit 0
 */
#include "check.h"

static int p[2];

static void *closer(void *arg)
{
    OK(close(p[1]));
    return NULL;
}

int main(void)
{
    char c;
    OK(pipe(p));
    pthread_t t = start(closer, NULL);
    IS(read(p[0], &c, 1), 0); /* waits for the end of data */
    join(t);
    FAILS(write(p[1], "x", 1), EBADF);
    int fd = dup(p[0]);
    IS(fd, p[1]); /* lowest free number */
    OK(close(fd));
    return 0;
}
