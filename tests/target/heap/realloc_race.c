/* A list that moves while somebody reads it
 * cause:    realloc race: the reader holds the old address of an array that grows
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

#define FIRST 4
#define LATER 4000
static int *volatile list;
static volatile int n, total;

static void *grower(void *arg)
{
    int *grown = realloc(list, LATER * sizeof *grown); /* A */
    list = grown;
    n = FIRST + 1;
    return arg;
}

static void *reader(void *arg)
{
    int *l = list;
    for (int i = 0; i < FIRST; i++)
        total += l[i]; /* B */
    return arg;
}

int main(void)
{
    pthread_t g, r;
    list = malloc(FIRST * sizeof *list);
    for (int i = 0; i < FIRST; i++)
        list[i] = i;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&g, NULL, grower, NULL);
    pthread_join(g, NULL);
    pthread_join(r, NULL);
    free(list);
    return 0;
}
