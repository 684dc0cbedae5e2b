/* Users of a block say so before they use it, and somebody frees it: what they say has nothing to do with it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    same
 */
#include "threads.h"

#include <stdlib.h>

struct block {
    int field[3];
};

static struct block *block;
static int seen;

static void *use(void *arg)
{
    struct block *b = block;
    if (b) {
        seen = 1; /* R1 */
        b->field[(long)arg] = 1;
    }
    return NULL;
}

static void *take_away(void *arg)
{
    struct block *b = block;
    block = NULL;
    free(b);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    block = calloc(1, sizeof *block);
    pthread_create(&t[0], NULL, use, (void *)0);
    pthread_create(&t[1], NULL, use, (void *)1);
    pthread_create(&t[2], NULL, take_away, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
