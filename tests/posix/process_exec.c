/* exec: the new program has arguments, environment and descriptors; errors
 * text:   ENOENT for a missing file, EACCES for one without the execute permission; close-on-exec
 *         descriptors are gone, others stay; ignored signals stay ignored
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>

int main(int argc, char **argv)
{
    if (argc == 4) {
        OK(strcmp(argv[1], "a b"));
        OK(strcmp(getenv("WORD"), "here"));
        TRUE(getenv("HOME") == NULL);
        int keep = atoi(argv[2]), gone = atoi(argv[3]);
        IS(write(keep, "x", 1), 1);
        FAILS(write(gone, "x", 1), EBADF);
        struct sigaction sa;
        OK(sigaction(SIGUSR1, NULL, &sa));
        TRUE(sa.sa_handler == SIG_IGN);
        return 42;
    }
    int p[2], q[2];
    char a[16], b[16], c, *envp[] = {"WORD=here", NULL};
    OK(pipe(p));
    OK(pipe2(q, O_CLOEXEC));
    snprintf(a, sizeof a, "%d", p[1]);
    snprintf(b, sizeof b, "%d", q[1]);
    FAILS(execl("./none.tmp", "none", (char *)NULL), ENOENT);
    int fd = open("noexec.tmp", O_WRONLY | O_CREAT, 0600);
    OK(close(fd));
    FAILS(execl("./noexec.tmp", "none", (char *)NULL), EACCES);
    OK(unlink("noexec.tmp"));
    pid_t child = fork();
    if (child == 0) {
        char *args[] = {argv[0], "a b", a, b, NULL};
        signal(SIGUSR1, SIG_IGN);
        execve("/proc/self/exe", args, envp);
        _exit(99);
    }
    int status = reap(child);
    TRUE(WIFEXITED(status));
    IS(WEXITSTATUS(status), 42);
    IS(read(p[0], &c, 1), 1);
    return 0;
}
