/* strtok() goes on in the string of another thread
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <string.h>

#include "threads.h"

static void *one(void *arg)
{
    char text[] = "a b c";
    int n = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) /* R1 */
        n++;
    return arg;
}

static void *two(void *arg)
{
    char text[] = "d e f";
    int n = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) /* R2 */
        n++;
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
