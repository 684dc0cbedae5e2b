/* A file that only one can create (O_EXCL) is the lock; who removes it gives it back
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "threads.h"

static char folder[] = "/tmp/heddle-lock-XXXXXX";
static char by_file[64], by_folder[64];
static int counter, total;

static void *work(void *arg)
{
    int fd;
    for (int i = 0; i < 2; i++) {
        while ((fd = open(by_file, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
            sched_yield();
        counter++;
        close(fd);
        unlink(by_file);
        while (mkdir(by_folder, 0700))
            sched_yield();
        total++;
        rmdir(by_folder);
    }
    return arg;
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(by_file, sizeof by_file, "%s/file", folder);
    snprintf(by_folder, sizeof by_folder, "%s/folder", folder);
    run_both(work, work);
    rmdir(folder);
    return counter != 4 || total != 4;
}
