/* Allocations of zero bytes, free of NULL, calloc's zeros
 * text:   malloc(0) gives a pointer that can be freed, different from others (as glibc does); free(NULL)
 *         does nothing; calloc's memory is zero also when it was used before
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    char *volatile a = malloc(0), *volatile b = malloc(0);
    TRUE(a && b && a != b);
    free(a);
    free(b);
    free(NULL);
    a = calloc(0, 10);
    TRUE(a != NULL);
    free(a);
    a = realloc(NULL, 10);
    TRUE(a != NULL);
    strcpy(a, "nine char");
    a = realloc(a, 10000);
    OK(strcmp(a, "nine char"));
    a = realloc(a, 5);
    OK(memcmp(a, "nine ", 5));
    free(a);
    for (int i = 0; i < 20; i++) {
        a = malloc(1000);
        memset(a, 0xff, 1000);
        free(a);
        a = calloc(10, 100);
        for (int j = 0; j < 1000; j++)
            IS(a[j], 0);
        free(a);
    }
    return 0;
}
