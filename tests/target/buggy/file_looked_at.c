/* A cache file that is gone when it is opened
 * cause:    a file is looked for by name, then opened, and the cleaner removes it in between
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or C before B: no sooner can the open come than after the look
 * preemptions: 1
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];
static int is_gone; /* told when the folder has been removed */

static void *reader(void *arg)
{
    if (access(path, R_OK) == 0) { /* C */
        int fd = open(path, O_RDONLY); /* B */
        is_gone = fd < 0;
        close(fd);
    }
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *cleaner(void *arg)
{
    work();
    unlink(path); /* A */
    return arg;
}

int main(void)
{
    char dir[] = "/tmp/heddleXXXXXX";
    pthread_t r, c;
    if (!mkdtemp(dir))
        return 77;
    snprintf(path, sizeof path, "%s/cache", dir);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&c, NULL, cleaner, NULL);
    pthread_join(r, NULL);
    pthread_join(c, NULL);
    rmdir(dir);
    assert(!is_gone);
    return 0;
}
