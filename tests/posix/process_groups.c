/* Process groups and sessions: ids, errors
 * text:   setsid by a group leader is EPERM; getpgid of an unknown process is ESRCH
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        pid_t s = setsid();
        IS(s, getpid());
        IS(getsid(0), s);
        IS(getpgrp(), s);
        FAILS(setsid(), EPERM);
        pid_t grand = fork();
        if (grand == 0) {
            OK(setpgid(0, 0));
            IS(getpgrp(), getpid());
            _exit(0);
        }
        IS(reap(grand), 0);
        _exit(0);
    }
    IS(reap(child), 0);
    FAILS(getpgid(0x3fffffff), ESRCH);
    FAILS(setpgid(0x3fffffff, 0), ESRCH);
    FAILS(setpgid(0, -1), EINVAL);
    return 0;
}
