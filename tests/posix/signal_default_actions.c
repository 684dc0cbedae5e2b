/* Default actions: terminate, ignore, stop and continue
 * text:   the default of TERM ends the process, of CHLD and URG does nothing, STOP stops
 *         and CONT goes on
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    static const int deadly[] = {SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGPIPE, SIGKILL};
    int status;
    for (unsigned i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        pid_t child = fork();
        if (child == 0) {
            raise(deadly[i]);
            _exit(0);
        }
        status = reap(child);
        TRUE(WIFSIGNALED(status));
        IS(WTERMSIG(status), deadly[i]);
    }
    OK(raise(SIGCHLD));
    OK(raise(SIGURG));
    OK(raise(SIGCONT));
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        _exit(7);
    }
    IS(waitpid(child, &status, WUNTRACED), child);
    TRUE(WIFSTOPPED(status));
    IS(WSTOPSIG(status), SIGSTOP);
    OK(kill(child, SIGCONT));
    status = reap(child);
    TRUE(WIFEXITED(status));
    IS(WEXITSTATUS(status), 7);
    return 0;
}
