/* A file that is shorter than it was when its size was asked for
 * cause:    size and text are read by two calls, and the file is cut in between
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or C before A: the look is the only other event of the reader
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static int is_short; /* told when the folder has been removed */

static void *reader(void *arg)
{
    struct stat st;
    char text[64];
    FILE *f = fopen(path, "r");
    if (stat(path, &st) == 0) { /* C */
        size_t got = fread(text, 1, (size_t)st.st_size, f); /* B */
        is_short = got != (size_t)st.st_size;
    }
    fclose(f);
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *cutter(void *arg)
{
    work();
    truncate(path, 3); /* A */
    return arg;
}

int main(void)
{
    char dir[] = "/tmp/heddleXXXXXX";
    pthread_t r, c;
    if (!mkdtemp(dir))
        return 77;
    snprintf(path, sizeof path, "%s/text", dir);
    FILE *f = fopen(path, "w");
    fputs("0123456789", f);
    fclose(f);
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&c, NULL, cutter, NULL);
    pthread_join(r, NULL);
    pthread_join(c, NULL);
    unlink(path);
    rmdir(dir);
    assert(!is_short);
    return 0;
}
