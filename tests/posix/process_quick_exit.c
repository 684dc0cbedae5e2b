/* quick_exit: its own handlers in reverse order, no atexit handlers
 * text:   at_quick_exit registers; quick_exit calls them, then ends as _Exit
 * expect: exit 0
 */
#include "check.h"

static int fd;
static void a(void) { IS(write(fd, "a", 1), 1); }
static void b(void) { IS(write(fd, "b", 1), 1); }
static void never(void) { IS(write(fd, "!", 1), 1); }

int main(void)
{
    char text[8] = "";
    int p[2];
    OK(pipe(p));
    pid_t child = fork();
    if (child == 0) {
        fd = p[1];
        OK(atexit(never));
        OK(at_quick_exit(a));
        OK(at_quick_exit(b));
        quick_exit(11);
    }
    IS(WEXITSTATUS(reap(child)), 11);
    OK(close(p[1]));
    IS(read(p[0], text, 8), 2);
    OK(memcmp(text, "ba", 2));
    return 0;
}
