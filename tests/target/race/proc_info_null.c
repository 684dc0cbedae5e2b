/* A text is looked at, and used if it is there; its owner takes it away in between
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R1-R3
 * class:    fails
 * finding:  signal
 */
#include <string.h>

#include "threads.h"

static const char *info = "sorting";
static volatile char first;

static void *show(void *arg)
{
    if (info) { /* R3 */
        const char *text = info; /* R2 */
        first = *text;
    }
    return arg;
}

static void *finish(void *arg)
{
    info = NULL; /* R1 */
    return arg;
}

int main(void)
{
    run_both(show, finish);
    return 0;
}
