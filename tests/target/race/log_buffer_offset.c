/* Two threads append to one log buffer: the text goes to the offset before the offset is raised, without a lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <string.h>

#include "threads.h"

static char buffer[64];
static unsigned used;

static void append(const char *text, unsigned n)
{
    unsigned at = used; /* R2 */
    memcpy(buffer + at, text, n);
    used = at + n; /* R1 */
}

static void *first(void *arg)
{
    append("GET /\n", 6);
    return arg;
}

static void *second(void *arg)
{
    append("PUT /\n", 6);
    return arg;
}

int main(void)
{
    run_both(first, second);
    printf("%u bytes\n", used);
    return 0;
}
