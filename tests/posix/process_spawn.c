/* posix_spawn: file actions, attributes, errors
 * text:   actions are done in order; the mask and default signals of the attributes are set; a missing
 *         program is ENOENT, returned
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <spawn.h>

extern char **environ;

int main(void)
{
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t at;
    pid_t child;
    char buf[16] = "", *args[] = {"sh", "-c", "echo out; kill -USR1 $$; exit 5", NULL};
    int p[2];
    sigset_t set;
    OK(pipe(p));
    OK(posix_spawn_file_actions_init(&fa));
    OK(posix_spawn_file_actions_adddup2(&fa, p[1], 1));
    OK(posix_spawn_file_actions_addclose(&fa, p[0]));
    IS(posix_spawn_file_actions_addclose(&fa, -1), EBADF);
    OK(posix_spawnattr_init(&at));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(posix_spawnattr_setsigmask(&at, &set));
    OK(posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK));
    IS(posix_spawnattr_setflags(&at, 0x4000), EINVAL);
    OK(posix_spawn(&child, "/bin/sh", &fa, &at, args, environ));
    OK(close(p[1]));
    IS(read(p[0], buf, sizeof buf), 4);
    OK(memcmp(buf, "out\n", 4));
    int status = reap(child);
    TRUE(WIFEXITED(status)); /* USR1 was blocked */
    IS(WEXITSTATUS(status), 5);
    IS(posix_spawn(&child, "./none.tmp", NULL, NULL, args, environ), ENOENT);
    IS(posix_spawnp(&child, "no-such-command-here", NULL, NULL, args, environ), ENOENT);
    OK(posix_spawnp(&child, "true", NULL, NULL, (char *[]){"true", NULL}, environ));
    IS(reap(child), 0);
    OK(posix_spawn_file_actions_destroy(&fa));
    OK(posix_spawnattr_destroy(&at));
    return 0;
}
