/* Handed over through an eventfd
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <sys/eventfd.h>
#include <unistd.h>

static int fd[2];
static int data;

static void *one(void *arg)
{
    data = 42;
    unsigned long one_more = 1;
    if (write(fd[0], &one_more, 8) != 8)
        return NULL;
    return arg;
}

static void *two(void *arg)
{
    unsigned long n;
    if (read(fd[0], &n, 8) != 8)
        return NULL;
    printf("%d\n", data);
    return arg;
}

int main(void)
{
    fd[0] = eventfd(0, 0);
    run_both(one, two);
    return 0;
}
