/* A configuration is replaced and the old one freed while another thread compares its name
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include <stdlib.h>
#include <string.h>

#include "threads.h"

static char *name;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *current(void)
{
    pthread_mutex_lock(&lock);
    char *now = name;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *reload(void *arg)
{
    char *next = malloc(16);
    strcpy(next, "second");
    pthread_mutex_lock(&lock);
    char *old = name;
    name = next;
    pthread_mutex_unlock(&lock);
    free(old); /* R1 */
    return arg;
}

static void *look(void *arg)
{
    const char *now = current();
    printf("%c\n", now[0]); /* R2 */
    return arg;
}

int main(void)
{
    name = malloc(16);
    strcpy(name, "first");
    run_both(reload, look);
    return 0;
}
