/* umask and the working directory belong to the process
 * text:   a change in one thread is seen in the others and inherited by children
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

static void *changer(void *arg)
{
    umask(077);
    OK(mkdir("cwd.tmp", 0700));
    OK(chdir("cwd.tmp"));
    return NULL;
}

int main(void)
{
    struct stat st;
    char cwd[4096];
    join(start(changer, NULL));
    TRUE(getcwd(cwd, sizeof cwd) != NULL);
    OK(strcmp(strrchr(cwd, '/'), "/cwd.tmp"));
    int fd = open("f", O_WRONLY | O_CREAT, 0666);
    OK(fstat(fd, &st));
    IS(st.st_mode & 0777, 0600);
    OK(unlink("f"));
    pid_t child = fork();
    if (child == 0) {
        IS(umask(0), 077);
        _exit(0);
    }
    IS(reap(child), 0);
    OK(chdir(".."));
    OK(rmdir("cwd.tmp"));
    errno = 0;
    TRUE(getcwd(cwd, 1) == NULL);
    IS(errno, ERANGE);
    return 0;
}
