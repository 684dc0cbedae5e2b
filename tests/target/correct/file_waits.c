/* Threads that wait for files by looking for them again and again
 * cause:    none: each look may come before or after, and who finds nothing looks again
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, what a file hands over is nothing that TSan knows
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char begun[64], made[64], text[64], lock[64];
static int value, inside;

static void *maker(void *arg)
{
    while (access(begun, F_OK))
        ;
    close(open(made, O_CREAT | O_WRONLY, 0600));
    return arg;
}

static void *writer(void *arg)
{
    struct stat st;
    while (stat(made, &st))
        ;
    FILE *f = fopen(text, "w");
    fputs("7", f);
    fclose(f);
    return arg;
}

/* The file is empty first. */
static void *reader(void *arg)
{
    int n = 0;
    while (n != 1) {
        FILE *f = fopen(text, "r");
        if (!f)
            continue;
        n = fscanf(f, "%d", &value);
        fclose(f);
    }
    return arg;
}

static void *locker(void *arg)
{
    int fd;
    while ((fd = open(lock, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
        ;
    assert(!__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED));
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    close(fd);
    unlink(lock);
    return arg;
}

int main(void)
{
    void *(*const run[])(void *) = {maker, writer, reader, locker, locker};
    char dir[] = "/tmp/heddleXXXXXX";
    pthread_t t[5];
    if (!mkdtemp(dir))
        return 77;
    snprintf(begun, sizeof begun, "%s/begun", dir);
    snprintf(made, sizeof made, "%s/made", dir);
    snprintf(text, sizeof text, "%s/text", dir);
    snprintf(lock, sizeof lock, "%s/lock", dir);
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    close(open(begun, O_CREAT | O_WRONLY, 0600));
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    assert(value == 7);
    unlink(begun);
    unlink(made);
    unlink(text);
    rmdir(dir);
    return 0;
}
