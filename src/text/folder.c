/* folder.c: see folder.h. */
#include "text/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int hd_folder_begin(const char *path)
{
    static const char all[] = "*\n";
    char name[PATH_MAX];
    if (mkdir(path, 0777))
        return -errno;
    int n = snprintf(name, sizeof name, "%s/.gitignore", path);
    int fd = n < (int)sizeof name ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return 0; /* convenience only: whatever is wrong will be said by who writes next */
    if (write(fd, all, sizeof all - 1) != (ssize_t)sizeof all - 1)
        unlink(name);
    close(fd);
    return 0;
}
