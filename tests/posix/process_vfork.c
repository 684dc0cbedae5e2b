/* vfork: the parent goes on after the child's exec or _exit
 * text:   the child may only exec or _exit
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = vfork();
        if (child == 0) {
            if (i == 0)
                _exit(6);
            execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
            _exit(99);
        }
        TRUE(child > 0);
        IS(WEXITSTATUS(reap(child)), 6);
    }
    return 0;
}
