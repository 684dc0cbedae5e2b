/* O_APPEND: writes of several threads do not overwrite each other
 * text:   the offset is set to the end before each write, as one step
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

static int fd;

static void *writer(void *arg)
{
    for (int i = 0; i < 10; i++)
        IS(write(fd, arg, 4), 4);
    return NULL;
}

int main(void)
{
    char text[81] = "";
    int n[2] = {0, 0};
    fd = open("append.tmp", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    TRUE(fd >= 0);
    pthread_t a = start(writer, "aaaa"), b = start(writer, "bbbb");
    join(a);
    join(b);
    IS(pread(fd, text, 81, 0), 80);
    for (int i = 0; i < 80; i += 4) {
        OK(memcmp(text + i, text[i] == 'a' ? "aaaa" : "bbbb", 4));
        n[text[i] - 'a']++;
    }
    IS(n[0], 10);
    IS(n[1], 10);
    OK(close(fd));
    OK(unlink("append.tmp"));
    return 0;
}
