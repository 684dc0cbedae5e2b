/* recv() and readv() fill buffers that another thread looks at
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4
 * class:    changes
 */
#include "threads.h"
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char one[8] = "before", two[8] = "before";
static int pair[2];

static void *filler(void *arg)
{
    char rest[8];
    struct iovec iov[2] = {{rest, 2}, {two, 4}};
    if (recv(pair[0], one, 4, 0) < 0) /* R1 */
        puts("cannot receive");
    if (readv(pair[0], iov, 2) < 0) /* R3 */
        puts("cannot read");
    return arg;
}

static void *user(void *arg)
{
    int a = one[2], /* R2 */
        b = two[2]; /* R4 */
    printf("%d %d\n", a == 'f', b == 'f');
    return arg;
}

int main(void)
{
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (write(pair[1], "0123456789", 10) != 10)
        return 1;
    run_both(filler, user);
    return 0;
}
