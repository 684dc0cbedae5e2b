/* exit: atexit handlers in reverse order, then streams are flushed
 * text:   handlers run once each, last registered first; one registered by a handler runs next;
 *         _exit and _Exit run none and flush nothing
 * expect: exit 0
 */
#include "check.h"

static int fd;

static void put(const char *s) { IS(write(fd, s, 1), 1); }
static void a(void) { put("a"); }
static void c(void) { put("c"); }
static void b(void)
{
    put("b");
    OK(atexit(c));
}
static void with(int status, void *arg) { put(status == 9 && arg == &fd ? "d" : "?"); }

static void *exits(void *arg) { exit(9); }

int main(void)
{
    char text[16] = "";
    int p[2];
    for (int how = 0; how < 4; how++) {
        OK(pipe(p));
        pid_t child = fork();
        if (child == 0) {
            fd = p[1];
            OK(atexit(a));
            OK(on_exit(with, &fd));
            OK(atexit(b));
            FILE *f = fdopen(dup(fd), "w");
            fputs("f", f);
            if (how == 0)
                exit(9);
            if (how == 1)
                _exit(9);
            if (how == 2)
                _Exit(9);
            join(start(exits, NULL));
        }
        OK(close(p[1]));
        IS(WEXITSTATUS(reap(child)), 9);
        memset(text, 0, sizeof text);
        ssize_t n = 0, r;
        while ((r = read(p[0], text + n, 16)) > 0)
            n += r;
        OK(strcmp(text, how == 1 || how == 2 ? "" : "bcdaf"));
        OK(close(p[0]));
    }
    return 0;
}
