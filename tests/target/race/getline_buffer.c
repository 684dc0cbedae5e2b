/* fgets() fills a buffer that another thread searches
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <string.h>

#include "threads.h"

static char line[32];
static int out;

static void *fill(void *arg)
{
    FILE *f = fmemopen((char[]){"key=value\n"}, 10, "r");
    if (!fgets(line, sizeof line, f)) /* R1 */
        return NULL;
    fclose(f);
    return arg;
}

static void *search(void *arg)
{
    out = strchr(line, '=') != NULL; /* R2 */
    return arg;
}

int main(void)
{
    run_both(fill, search);
    printf("%d\n", out);
    return 0;
}
