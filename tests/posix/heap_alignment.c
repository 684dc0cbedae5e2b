/* malloc family: alignment for every type, and what was asked for
 * text:   malloc's result suits any object; aligned_alloc and posix_memalign give the alignment; one
 *         that is no power of two is EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

static void *user(void *arg)
{
    void *p, *keep[16];
    for (size_t n = 1; n < 5000; n = n * 3 / 2 + 1) {
        p = malloc(n);
        IS((uintptr_t)p % _Alignof(max_align_t), 0);
        memset(p, 0xaa, n);
        TRUE(malloc_usable_size(p) >= n);
        free(p);
    }
    int k = 0;
    for (size_t a = 16; a <= 8192; a *= 2) {
        OK(posix_memalign(&p, a, 100));
        IS((uintptr_t)p % a, 0);
        keep[k++] = p;
        p = aligned_alloc(a, a * 2);
        IS((uintptr_t)p % a, 0);
        memset(p, 1, a * 2);
        free(p);
        p = memalign(a, 10);
        IS((uintptr_t)p % a, 0);
        free(p);
    }
    while (k)
        free(keep[--k]);
    IS(posix_memalign(&p, 24, 100), EINVAL);
    IS(posix_memalign(&p, 2, 100), EINVAL);
    p = valloc(10);
    IS((uintptr_t)p % 4096, 0);
    free(p);
    return NULL;
}

int main(void)
{
    pthread_t t = start(user, NULL);
    user(NULL);
    join(t);
    return 0;
}
