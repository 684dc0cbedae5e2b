/* Functions that allocate: strdup, strndup, asprintf, getline, getcwd, open_memstream
 * text:   their results can be given to free
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    char *a = strdup("hello"), *b = strndup("hello", 3), *c, *d;
    OK(strcmp(a, "hello"));
    OK(strcmp(b, "hel"));
    IS(asprintf(&c, "%s-%d", a, 5), 7);
    OK(strcmp(c, "hello-5"));
    d = getcwd(NULL, 0);
    TRUE(d && d[0] == '/');
    free(a);
    free(b);
    free(c);
    free(d);
    size_t size;
    FILE *f = open_memstream(&a, &size);
    fprintf(f, "%0500d", 7);
    OK(fclose(f));
    IS(size, 500);
    IS(a[499], '7');
    free(a);
    a = realpath(".", NULL);
    TRUE(a != NULL);
    free(a);
    return 0;
}
