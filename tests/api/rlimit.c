/* Limits of memory: malloc and its relatives fail with ENOMEM when they are met, and
 * work again when they are lifted. */
#include "check.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/resource.h>

#define BIG ((size_t)512 << 20)

static void limited(int what)
{
    struct rlimit old, low;
    char *volatile p;
    IS(getrlimit(what, &old), 0);
    low = old;
    low.rlim_cur = 1 << 20;
    char *kept = malloc(1000);
    CHECK(kept);
    IS(setrlimit(what, &low), 0);
    errno = 0;
    p = malloc(BIG);
    CHECK(!p);
    IS(errno, ENOMEM);
    errno = 0;
    p = calloc(BIG / 16, 16);
    CHECK(!p);
    IS(errno, ENOMEM);
    errno = 0;
    p = realloc(kept, BIG);
    CHECK(!p);
    IS(errno, ENOMEM);
    kept[999] = 1;
    void *q = NULL;
    IS(posix_memalign(&q, 4096, BIG), ENOMEM);
    errno = 0;
    p = aligned_alloc(64, BIG);
    CHECK(!p);
    IS(errno, ENOMEM);
    IS(setrlimit(what, &old), 0);
    p = malloc(BIG);
    CHECK(p);
    free(p);
    free(kept);
}

static void *in_other(void *arg)
{
    limited(RLIMIT_AS);
    return NULL;
}

int main(void)
{
    limited(RLIMIT_AS);
    limited(RLIMIT_DATA);
    in_thread(in_other, NULL);
    return 0;
}
