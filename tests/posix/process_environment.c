/* Environment: set, read, remove, errors
 * text:   setenv with overwrite 0 keeps a value; a name with '=' or empty is EINVAL; children get a copy
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    OK(setenv("HD_WORD", "one", 1));
    OK(setenv("HD_WORD", "two", 0));
    OK(strcmp(getenv("HD_WORD"), "one"));
    FAILS(setenv("A=B", "x", 1), EINVAL);
    FAILS(setenv("", "x", 1), EINVAL);
    FAILS(unsetenv("A=B"), EINVAL);
    pid_t child = fork();
    if (child == 0) {
        OK(strcmp(getenv("HD_WORD"), "one"));
        OK(setenv("HD_WORD", "three", 1));
        IS(WEXITSTATUS(system("test \"$HD_WORD\" = three")), 0);
        _exit(0);
    }
    IS(reap(child), 0);
    OK(unsetenv("HD_WORD"));
    TRUE(getenv("HD_WORD") == NULL);
    return 0;
}
