/* flockfile() as the lock of a variable that belongs to the stream
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>

#include "threads.h"

static int lines;
static char text[32];

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        flockfile(stdout);
        lines++;
        snprintf(text, sizeof text, "line %d", lines);
        puts(text);
        funlockfile(stdout);
    }
    return arg;
}

int main(void)
{
    run_both(worker, worker);
    return lines != 4;
}
