/* sscanf and fscanf assign variables that another thread reads
 * build:    clang -g -O1 -fsanitize=thread -shared-libsan
 * args:
 * races:    R1-R2 R1-R3 R1-R4 R5-R6 R5-R7
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static int width;
static double ratio;
static char word[8], *copy;
static short small;
static volatile double out;

static void *parse(void *arg)
{
    FILE *f = fmemopen((char[]){"7 text"}, 6, "r");
    if (sscanf("12 skip 0.5 name", "%d %*s %lf %7[a-z]", &width, &ratio, word) != 3) /* R1 */
        abort();
    if (fscanf(f, "%hd %ms", &small, &copy) != 2) /* R5 */
        abort();
    fclose(f);
    return arg;
}

static void *use(void *arg)
{
    out += width;         /* R2 */
    out += ratio;         /* R3 */
    out += word[1];       /* R4 */
    out += small;         /* R6 */
    out += copy != NULL;  /* R7 */
    return arg;
}

int main(void)
{
    run_both(parse, use);
    free(copy);
    return 0;
}
