/* The same in a block of the heap that a variable leads to, two steps away
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 * result:   what `all` leads to holds 1 at the end
 */
#include <stdlib.h>

#include "threads.h"

struct stats {
    long reserved;
    int hits;
};
struct cache {
    char name[40];
    struct stats *stats;
};
static struct cache *all;

static void *one(void *arg)
{
    all->stats->hits = all->stats->hits + 1; /* R1 */
    return arg;
}

int main(void)
{
    all = malloc(sizeof *all);
    all->stats = calloc(1, sizeof *all->stats);
    run_both(one, one);
    puts("done");
    return 0;
}
