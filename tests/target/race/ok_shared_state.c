/* strtok, the environment, localtime and a stream without its lock, each under a lock of the program's or the
 * stream's own
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *to;
static int words;

static void *one(void *arg)
{
    char text[] = "a b c";
    time_t when = 1000;
    pthread_mutex_lock(&lock);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words++;
    setenv("HEDDLE_TEST_LEVEL", "1", 1);
    if (!getenv("HEDDLE_TEST_LEVEL") || gmtime(&when)->tm_min != 16)
        abort();
    pthread_mutex_unlock(&lock);
    flockfile(to);
    putc_unlocked('a', to);
    fputs_unlocked("b", to);
    funlockfile(to);
    fputs("c", to);
    return arg;
}

int main(void)
{
    setenv("HEDDLE_TEST_LEVEL", "0", 1);
    to = fopen("/dev/null", "w");
    run_both(one, one);
    putc_unlocked('d', to);
    fclose(to);
    unsetenv("HEDDLE_TEST_LEVEL");
    return words != 6;
}
