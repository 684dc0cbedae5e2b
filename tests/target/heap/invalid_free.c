/* A buffer that is given back from its middle
 * cause:    invalid free: the read position is kept in the pointer that owns the block
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *volatile at;
static volatile int skipped;

/* Skips the blanks at the begin, and goes back when it is done. */
static void *skip(void *arg)
{
    char *begin = at;
    at = begin + 2; /* A */
    skipped += 2;
    at = begin;
    return arg;
}

static void *drop(void *arg)
{
    char *p = at; /* B */
    if (skipped == 0)
        return arg; /* not read yet: still needed */
    free(p);
    return arg;
}

int main(void)
{
    pthread_t s, d;
    at = malloc(16);
    strcpy(at, "  text");
    pthread_create(&d, NULL, drop, NULL);
    pthread_create(&s, NULL, skip, NULL);
    pthread_join(s, NULL);
    pthread_join(d, NULL);
    return 0;
}
