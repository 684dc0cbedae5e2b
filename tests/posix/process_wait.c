/* wait functions: WNOHANG, ECHILD, options, waitid
 * text:   WNOHANG gives 0 while no child ended; without children ECHILD; bad options are EINVAL;
 *         waitid with WNOWAIT leaves the child waitable
 * expect: exit 0
 */
#include "check.h"
#include <sys/resource.h>

int main(void)
{
    int status, p[2];
    siginfo_t info;
    struct rusage ru;
    char c;
    FAILS(wait(NULL), ECHILD);
    FAILS(waitpid(-1, &status, 0), ECHILD);
    FAILS(waitpid(-1, &status, 0x1234567), EINVAL);
    OK(pipe(p));
    pid_t a = fork();
    if (a == 0) {
        close(p[1]);
        (void)!read(p[0], &c, 1);
        _exit(3);
    }
    IS(waitpid(a, &status, WNOHANG), 0);
    info.si_pid = 99;
    OK(waitid(P_PID, (id_t)a, &info, WEXITED | WNOHANG));
    IS(info.si_pid, 0);
    OK(close(p[1]));
    OK(waitid(P_PID, (id_t)a, &info, WEXITED | WNOWAIT));
    IS(info.si_pid, a);
    IS(info.si_code, CLD_EXITED);
    IS(info.si_status, 3);
    IS(wait4(a, &status, 0, &ru), a);
    IS(WEXITSTATUS(status), 3);
    FAILS(waitid(P_PID, (id_t)a, &info, WEXITED), ECHILD);
    FAILS(waitid(P_PID, 1, &info, 0), EINVAL);
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            _exit(i);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        TRUE(wait(&status) > 0);
        sum += WEXITSTATUS(status);
    }
    IS(sum, 3);
    FAILS(wait(&status), ECHILD);
    return 0;
}
