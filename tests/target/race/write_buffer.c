/* A buffer is changed while write() hands it to the kernel
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <unistd.h>

static char buffer[] = "first\n";

static void *sender(void *arg)
{
    if (write(1, buffer, sizeof buffer - 1) < 0) /* R1 */
        return NULL;
    return arg;
}

static void *user(void *arg)
{
    buffer[0] = 'F'; /* R2 */
    return arg;
}

int main(void)
{
    run_both(sender, user);
    return 0;
}
