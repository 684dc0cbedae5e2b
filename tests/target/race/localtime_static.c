/* localtime() answers in memory that all threads share
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <time.h>

#include "threads.h"

static void *one(void *arg)
{
    time_t when = 86400 * 40;
    if (!gmtime(&when)) /* R1 */
        puts("no time");
    return arg;
}

static void *two(void *arg)
{
    time_t when = 86400 * 20;
    struct tm *t = gmtime(&when);
    printf("day %d\n", t->tm_yday); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
