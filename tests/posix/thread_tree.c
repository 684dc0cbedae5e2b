/* A thread may be joined by another than its creator
 * text:   any thread may join any joinable thread
 * expect: exit 0
 */
#include "check.h"

static void *leaf(void *arg) { return arg; }

static void *maker(void *arg)
{
    pthread_t *t = arg;
    t[0] = start(leaf, (void *)1);
    t[1] = start(leaf, (void *)2);
    return NULL;
}

static void *joiner(void *arg)
{
    pthread_t *t = arg;
    return (void *)((long)join(t[0]) + (long)join(t[1]));
}

int main(void)
{
    pthread_t leaves[2];
    join(start(maker, leaves));
    IS((long)join(start(joiner, leaves)), 3);
    return 0;
}
