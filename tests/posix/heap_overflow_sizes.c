/* Sizes that cannot be had: NULL and ENOMEM, and the old block stays
 * text:   products that overflow fail; a failed realloc leaves the block as it was
 * expect: exit 0
 */
#include "check.h"
#include <stdint.h>

static volatile size_t huge = SIZE_MAX / 2 + 2;

int main(void)
{
    void *volatile p;
    errno = 0;
    TRUE((p = malloc(huge)) == NULL);
    IS(errno, ENOMEM);
    errno = 0;
    TRUE((p = calloc(huge, 2)) == NULL);
    IS(errno, ENOMEM);
    errno = 0;
    TRUE((p = calloc(huge / 4, 16)) == NULL);
    IS(errno, ENOMEM);
    errno = 0;
    TRUE((p = reallocarray(NULL, huge, 4)) == NULL);
    IS(errno, ENOMEM);
    char *keep = malloc(20);
    strcpy(keep, "still here");
    errno = 0;
    TRUE((p = realloc(keep, huge)) == NULL);
    IS(errno, ENOMEM);
    OK(strcmp(keep, "still here"));
    void *q = keep;
    IS(posix_memalign(&q, 64, huge), ENOMEM);
    errno = 0;
    TRUE((p = aligned_alloc(64, huge)) == NULL);
    IS(errno, ENOMEM);
    free(keep);
    return 0;
}
