/* abort: ends by SIGABRT even if it is ignored or blocked; the handler runs first
 * text:   abort raises SIGABRT, overriding blocking and ignoring; if the handler returns the
 *         process still ends
 * expect: exit 0
 */
#include "check.h"
#include <setjmp.h>

static int fds[2];
static sigjmp_buf back;

static void tell(int s) { IS(write(fds[1], "x", 1), 1); }
static void jump(int s) { siglongjmp(back, 1); }

int main(void)
{
    OK(pipe(fds));
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            sigset_t set;
            sigfillset(&set);
            if (i == 0)
                signal(SIGABRT, SIG_IGN);
            else if (i == 1)
                sigprocmask(SIG_BLOCK, &set, NULL);
            else
                signal(SIGABRT, tell);
            abort();
        }
        int status = reap(child);
        TRUE(WIFSIGNALED(status));
        IS(WTERMSIG(status), SIGABRT);
    }
    char c;
    IS(read(fds[0], &c, 1), 1);
    signal(SIGABRT, jump); /* a handler that does not return survives */
    if (!sigsetjmp(back, 1)) {
        abort();
    }
    return 0;
}
