/* stdio: errors and end of file on streams
 * text:   fopen of a missing file is ENOENT, a bad mode EINVAL; reading a write-only stream is EBADF
 *         and sets the error indicator
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    char buf[16], *line = NULL;
    size_t size = 0;
    errno = 0;
    TRUE(fopen("none.tmp", "r") == NULL);
    IS(errno, ENOENT);
    errno = 0;
    TRUE(fopen("none.tmp", "?") == NULL);
    IS(errno, EINVAL);
    FILE *f = fopen("stdio.tmp", "w");
    TRUE(f != NULL);
    errno = 0;
    IS(fgetc(f), EOF);
    IS(errno, EBADF);
    TRUE(ferror(f));
    clearerr(f);
    IS(fprintf(f, "one\ntwo"), 7);
    OK(fclose(f));
    f = fopen("stdio.tmp", "r");
    IS(getline(&line, &size, f), 4);
    OK(strcmp(line, "one\n"));
    IS(fread(buf, 1, sizeof buf, f), 3);
    TRUE(feof(f) && !ferror(f));
    IS(getline(&line, &size, f), -1);
    IS(fseek(f, 1, SEEK_SET), 0);
    IS(fgetc(f), 'n');
    IS(ungetc('x', f), 'x');
    IS(fgetc(f), 'x');
    IS(ftell(f), 2);
    free(line);
    OK(fclose(f));
    OK(unlink("stdio.tmp"));
    return 0;
}
