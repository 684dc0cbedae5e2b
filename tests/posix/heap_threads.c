/* Blocks may be freed by another thread than the one that got them
 * text:   the functions are safe to use from all threads; blocks in use never overlap
 * expect: exit 0
 */
#include "check.h"

#define N 40
static char *block[N];

static void *maker(void *arg)
{
    for (long i = (long)arg; i < N; i += 2) {
        block[i] = malloc((size_t)i * 7 + 1);
        memset(block[i], (int)i, (size_t)i * 7 + 1);
    }
    return NULL;
}

static void *freer(void *arg)
{
    for (long i = 1 - (long)arg; i < N; i += 2) {
        for (long j = 0; j < i * 7 + 1; j++)
            IS(block[i][j], i);
        free(block[i]);
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(maker, (void *)0), b = start(maker, (void *)1);
    join(a);
    join(b);
    a = start(freer, (void *)0);
    b = start(freer, (void *)1);
    join(a);
    join(b);
    return 0;
}
