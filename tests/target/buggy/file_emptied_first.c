/* A reader that finds the settings empty
 * cause:    a file is emptied when it is opened for writing, and its text comes with the close
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or C before A, or C before D: the reader comes after the file was emptied
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];
static int is_empty; /* told when the folder has been removed */

static void save(int value)
{
    FILE *f = fopen(path, "w"); /* C */
    fprintf(f, "%d\n", value);
    fclose(f); /* B */
}

static void *saver(void *arg)
{
    save(2);
    return arg;
}

/* its own work: natively it hides the bug */
static void work(void)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void *loader(void *arg)
{
    work();
    char line[16];
    FILE *f = fopen(path, "r"); /* D */
    is_empty = !fgets(line, sizeof line, f); /* A */
    fclose(f);
    return arg;
}

int main(void)
{
    char dir[] = "/tmp/heddleXXXXXX";
    pthread_t s, l;
    if (!mkdtemp(dir))
        return 77;
    snprintf(path, sizeof path, "%s/settings", dir);
    save(1);
    pthread_create(&s, NULL, saver, NULL);
    pthread_create(&l, NULL, loader, NULL);
    pthread_join(s, NULL);
    pthread_join(l, NULL);
    unlink(path);
    rmdir(dir);
    assert(!is_empty);
    return 0;
}
