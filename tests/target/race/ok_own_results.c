/* Each thread has its own memory for what libc fills, in one array without gaps
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static struct {
    char name[5];
    struct tm tm;
    struct stat st;
    struct utsname u;
    char line[11];
    int number;
    char word[3];
} mine[2];

static void *fill(void *arg)
{
    int me = (int)(long)arg;
    time_t t = 86400;
    stat("/", &mine[me].st);
    localtime_r(&t, &mine[me].tm);
    uname(&mine[me].u);
    strftime(mine[me].line, sizeof mine[me].line, "%Y-%m-%d", &mine[me].tm);
    if (sscanf("17 ab", "%d %2s", &mine[me].number, mine[me].word) != 2)
        abort();
    snprintf(mine[me].name, 5, "%s%d", mine[me].word, mine[me].number);
    if (strcmp(mine[me].name, "ab17"))
        abort();
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, fill, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return strcmp(mine[0].line, mine[1].line);
}
