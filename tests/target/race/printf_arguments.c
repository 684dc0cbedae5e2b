/* printf and its kin read texts that another thread changes; %n writes
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4 R5-R6 R7-R8 R9-R10 R11-R12
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static char a[8] = "abc", b[8] = "abc", c[8] = "abc", d[8] = "abc", e[8] = "abc";
static int length;
static volatile int out;

static void *print(void *arg)
{
    char line[64];
    printf("%3d %-5s\n", 1, a);                                         /* R1 */
    fprintf(stdout, "%.*f %.2s\n", 2, 1.5, b);                          /* R3 */
    snprintf(line, sizeof line, "%ld%%%c %Lf %s", 1l, 'x', 2.0L, c);    /* R5 */
    puts(d);                                                            /* R7 */
    fwrite(e, 1, 3, stdout);                                            /* R9 */
    printf("%s%n\n", line, &length);                                    /* R11 */
    return arg;
}

static void *change(void *arg)
{
    a[1] = 'x';    /* R2 */
    b[1] = 'x';    /* R4 */
    c[1] = 'x';    /* R6 */
    d[1] = 'x';    /* R8 */
    e[1] = 'x';    /* R10 */
    out = length;  /* R12 */
    return arg;
}

int main(void)
{
    run_both(print, change);
    return 0;
}
