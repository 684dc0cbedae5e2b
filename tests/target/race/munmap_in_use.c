/* A mapping is removed while another thread still reads it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  signal
 */
#include "threads.h"
#include <sys/mman.h>

static int *page;

static void *reader(void *arg)
{
    printf("%d\n", page[3]); /* R1 */
    return arg;
}

static void *owner(void *arg)
{
    munmap(page, 4096); /* R2 */
    return arg;
}

int main(void)
{
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run_both(reader, owner);
    return 0;
}
