/* open and the calls on names: error codes
 * text:   missing names are ENOENT, O_EXCL on an existing one EEXIST, a directory EISDIR, a file
 *         as directory ENOTDIR
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

int main(void)
{
    struct stat st;
    FAILS(open("none.tmp", O_RDONLY), ENOENT);
    int fd = open("file.tmp", O_RDWR | O_CREAT | O_EXCL, 0640);
    TRUE(fd >= 0);
    FAILS(open("file.tmp", O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
    FAILS(open("file.tmp/x", O_RDONLY), ENOTDIR);
    FAILS(open(".", O_WRONLY), EISDIR);
    OK(fstat(fd, &st));
    IS(st.st_size, 0);
    OK(ftruncate(fd, 100));
    OK(stat("file.tmp", &st));
    IS(st.st_size, 100);
    OK(truncate("file.tmp", 7));
    OK(fstat(fd, &st));
    IS(st.st_size, 7);
    FAILS(ftruncate(fd, -1), EINVAL);
    OK(mkdir("dir.tmp", 0700));
    FAILS(mkdir("dir.tmp", 0700), EEXIST);
    OK(rename("file.tmp", "dir.tmp/f"));
    FAILS(rmdir("dir.tmp"), ENOTEMPTY);
    FAILS(unlink("file.tmp"), ENOENT);
    OK(link("dir.tmp/f", "other.tmp"));
    OK(fstat(fd, &st));
    IS(st.st_nlink, 2);
    OK(symlink("other.tmp", "sym.tmp"));
    OK(lstat("sym.tmp", &st));
    TRUE(S_ISLNK(st.st_mode));
    OK(access("sym.tmp", R_OK));
    FAILS(access("none.tmp", F_OK), ENOENT);
    OK(unlink("sym.tmp"));
    OK(unlink("other.tmp"));
    OK(remove("dir.tmp/f"));
    OK(rmdir("dir.tmp"));
    OK(fsync(fd));
    OK(fdatasync(fd));
    FAILS(fsync(-1), EBADF);
    OK(close(fd));
    return 0;
}
