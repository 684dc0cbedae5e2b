/* stdio: one call is atomic among threads; flockfile makes several so
 * text:   stream functions lock the stream; flockfile is recursive and keeps others out;
 *         ftrylockfile does not wait
 * expect: exit 0
 */
#include "check.h"

static FILE *f;

static void *writer(void *arg)
{
    for (int i = 0; i < 5; i++) {
        flockfile(f);
        flockfile(f); /* recursive */
        fputs(arg, f);
        putc_unlocked('-', f);
        fputs(arg, f);
        putc_unlocked('\n', f);
        funlockfile(f);
        funlockfile(f);
    }
    return NULL;
}

static void *cannot(void *arg)
{
    TRUE(ftrylockfile(f) != 0);
    return NULL;
}

int main(void)
{
    char line[32];
    int n = 0;
    f = tmpfile();
    TRUE(f != NULL);
    pthread_t a = start(writer, "aaa"), b = start(writer, "bbb");
    join(a);
    join(b);
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        TRUE(!strcmp(line, "aaa-aaa\n") || !strcmp(line, "bbb-bbb\n"));
        n++;
    }
    IS(n, 10);
    flockfile(f);
    OK(ftrylockfile(f));
    join(start(cannot, NULL));
    funlockfile(f);
    funlockfile(f);
    OK(fclose(f));
    return 0;
}
