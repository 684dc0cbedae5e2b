/* A FIFO between processes: opening waits for the other process
 * text:   the open for reading returns when a writer has opened it, and the other way round
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

int main(void)
{
    char buf[8];
    OK(mkfifo("fifo2.tmp", 0600));
    pid_t child = fork();
    if (child == 0) {
        int fd = open("fifo2.tmp", O_WRONLY);
        IS(write(fd, "data", 4), 4);
        _exit(0);
    }
    int fd = open("fifo2.tmp", O_RDONLY);
    TRUE(fd >= 0);
    IS(read(fd, buf, 8), 4);
    IS(read(fd, buf, 8), 0);
    IS(reap(child), 0);
    OK(unlink("fifo2.tmp"));
    return 0;
}
