/* Data is handed over by a line on a pseudo-terminal, and back by inotify on a folder
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>

#include "threads.h"

static int master, slave, watch, question, answer;
static char folder[] = "/tmp/heddle-watch-XXXXXX", file[64];

static void *asks(void *arg)
{
    question = 20;
    if (write(master, "?\n", 2) != 2)
        abort();
    char room[512];
    if (read(watch, room, sizeof room) <= 0)
        abort();
    return answer == 21 ? arg : (void *)1;
}

static void *replies(void *arg)
{
    char line[8];
    if (read(slave, line, sizeof line) <= 0)
        abort();
    answer = question + 1;
    close(open(file, O_CREAT | O_WRONLY, 0600));
    return arg;
}

int main(void)
{
    char *name;
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master) || !(name = ptsname(master)))
        return 1;
    slave = open(name, O_RDWR | O_NOCTTY);
    watch = inotify_init1(0);
    if (!mkdtemp(folder) || inotify_add_watch(watch, folder, IN_CREATE) < 0)
        return 1;
    snprintf(file, sizeof file, "%s/answer", folder);
    run_both(asks, replies);
    unlink(file);
    rmdir(folder);
    return 0;
}
