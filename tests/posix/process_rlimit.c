/* Resource limits: values, EINVAL, and their effect
 * text:   a soft limit above the hard one is EINVAL; RLIMIT_NOFILE makes open fail with EMFILE;
 *         RLIMIT_FSIZE makes a write fail with EFBIG and send SIGXFSZ
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/resource.h>

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    struct rlimit r, bad = {10, 5};
    OK(getrlimit(RLIMIT_NOFILE, &r));
    TRUE(r.rlim_cur <= r.rlim_max);
    FAILS(setrlimit(RLIMIT_NOFILE, &bad), EINVAL);
    FAILS(getrlimit(9999, &r), EINVAL);
    pid_t child = fork();
    if (child == 0) {
        int last = dup(0), fd;
        r.rlim_cur = (rlim_t)last + 2;
        OK(setrlimit(RLIMIT_NOFILE, &r));
        while ((fd = dup(0)) >= 0)
            TRUE(fd <= last + 1);
        IS(errno, EMFILE);
        FAILS(open("/dev/null", O_RDONLY), EMFILE);
        _exit(0);
    }
    IS(reap(child), 0);
    child = fork();
    if (child == 0) {
        OK(sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = handler}, NULL));
        r = (struct rlimit){100, 100};
        OK(setrlimit(RLIMIT_FSIZE, &r));
        char buf[150] = "";
        int fd = open("fsize.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        IS(write(fd, buf, sizeof buf), 100);
        FAILS(write(fd, buf, 1), EFBIG);
        IS(n, 1);
        OK(unlink("fsize.tmp"));
        _exit(0);
    }
    IS(reap(child), 0);
    return 0;
}
