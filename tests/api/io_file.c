/* Files and folders: names that come and go, sizes, syncing, cancellation of
 * threads that sync; a lock made of a file. */
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd, inside, passes;
static char *page;

static void *sync_for_ever(void *arg)
{
    for (;;)
        switch ((long)arg) {
        case 0: fsync(fd); break;
        case 1: fdatasync(fd); break;
        case 2: msync(page, 4096, MS_SYNC); break;
        case 3: sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); break;
        }
    return NULL;
}

static void *pass(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (link("file", "lock")) {
            IS(errno, EEXIST);
            usleep(100);
        }
        IS(inside++, 0);
        passes++;
        inside--;
        IS(unlink("lock"), 0);
    }
    return NULL;
}

int main(void)
{
    struct stat st;
    pthread_t t[4];
    void *result;
    char dir[] = "io_file-XXXXXX";
    CHECK(mkdtemp(dir) && !chdir(dir));
    fd = open("file", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    IS(ftruncate(fd, 4096), 0);
    IS(fstat(fd, &st), 0);
    IS(st.st_size, 4096);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(page != MAP_FAILED);
    for (long i = 0; i < 4; i++)
        IS(pthread_create(&t[i], NULL, sync_for_ever, (void *)i), 0);
    for (int i = 0; i < 4; i++) {
        IS(pthread_cancel(t[i]), 0);
        IS(pthread_join(t[i], &result), 0);
        CHECK(result == PTHREAD_CANCELED);
    }
    for (int i = 0; i < 2; i++)
        IS(pthread_create(&t[i], NULL, pass, NULL), 0);
    for (int i = 0; i < 2; i++)
        IS(pthread_join(t[i], NULL), 0);
    IS(passes, 4);

    IS(truncate("file", 10), 0);
    IS(rename("file", "other"), 0);
    FAILS(rename("file", "other"), ENOENT);
    FAILS(unlink("file"), ENOENT);
    IS(renameat(AT_FDCWD, "other", AT_FDCWD, "file"), 0);
    FAILS(renameat2(AT_FDCWD, "file", AT_FDCWD, "none", RENAME_EXCHANGE), ENOENT);
    IS(symlink("file", "sym"), 0);
    IS(symlinkat("file", AT_FDCWD, "sym2"), 0);
    IS(linkat(AT_FDCWD, "file", AT_FDCWD, "hard", 0), 0);
    IS(mkdir("in", 0700), 0);
    FAILS(mkdirat(AT_FDCWD, "in", 0700), EEXIST);
    FAILS(rmdir("file"), ENOTDIR);
    IS(rmdir("in"), 0);
    IS(remove("sym"), 0);
    IS(unlinkat(AT_FDCWD, "sym2", 0), 0);
    IS(unlink("hard"), 0);
    IS(unlink("file"), 0);
    IS(chdir(".."), 0);
    IS(rmdir(dir), 0);
    return 0;
}
