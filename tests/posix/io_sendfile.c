/* sendfile, copy_file_range, preadv2: data between descriptors
 * text:   bytes move without a buffer of the program; offsets are used and moved as given
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int s[2];

static void *reader(void *arg)
{
    char buf[16] = "";
    IS(recv(s[1], buf, 4, MSG_WAITALL), 4);
    OK(memcmp(buf, "2345", 4));
    return NULL;
}

int main(void)
{
    char buf[16] = "";
    off_t at = 2, from = 1;
    int in = open("sendfile.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int out = open("sendfile2.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    IS(write(in, "0123456789", 10), 10);
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    pthread_t t = start(reader, NULL);
    IS(sendfile(s[0], in, &at, 4), 4);
    IS(at, 6);
    join(t);
    IS(copy_file_range(in, &from, out, NULL, 3, 0), 3);
    IS(pread(out, buf, 16, 0), 3);
    OK(memcmp(buf, "123", 3));
    struct iovec v = {buf, 2};
    IS(preadv2(in, &v, 1, 8, 0), 2);
    OK(memcmp(buf, "89", 2));
    FAILS(sendfile(-1, in, NULL, 1), EBADF);
    OK(unlink("sendfile.tmp"));
    OK(unlink("sendfile2.tmp"));
    return 0;
}
