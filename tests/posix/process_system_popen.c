/* system and popen: status of the command, data both ways
 * text:   system gives the wait status; NULL asks for a shell; popen in a wrong mode is EINVAL;
 *         pclose gives the status
 * expect: exit 0
 */
#include "check.h"

static void *user(void *arg)
{
    IS(WEXITSTATUS(system((char *)arg)), *(char *)arg == 't' ? 0 : 7);
    return NULL;
}

int main(void)
{
    char line[32];
    TRUE(system(NULL) != 0);
    IS(WEXITSTATUS(system("exit 12")), 12);
    IS(WTERMSIG(system("kill -TERM $$")), SIGTERM);
    IS(WEXITSTATUS(system("no-such-command-here 2>/dev/null")), 127);
    pthread_t a = start(user, "true"), b = start(user, "exit 7");
    join(a);
    join(b);
    FILE *f = popen("echo hello; exit 3", "r");
    TRUE(f != NULL);
    TRUE(fgets(line, sizeof line, f) != NULL);
    OK(strcmp(line, "hello\n"));
    TRUE(fgets(line, sizeof line, f) == NULL);
    IS(WEXITSTATUS(pclose(f)), 3);
    f = popen("read x && test $x = word", "w");
    TRUE(f != NULL);
    TRUE(fputs("word\n", f) >= 0);
    IS(pclose(f), 0);
    errno = 0;
    TRUE(popen("true", "x") == NULL);
    IS(errno, EINVAL);
    return 0;
}
