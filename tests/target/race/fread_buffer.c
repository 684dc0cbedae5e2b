/* fread() and fgets() fill buffers that another thread looks at
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4
 * class:    changes
 */
#include "threads.h"

static char one[8] = "before", two[8] = "before";
static FILE *from;

static void *filler(void *arg)
{
    if (!fread(one, 1, 4, from)) /* R1 */
        puts("cannot read");
    if (!fgets(two, 5, from)) /* R3 */
        puts("no line");
    return arg;
}

static void *user(void *arg)
{
    int a = one[2], /* R2 */
        b = two[2]; /* R4 */
    printf("%d %d\n", a == 'f', b == 'f');
    return arg;
}

int main(void)
{
    from = tmpfile();
    fputs("0123456789\n", from);
    rewind(from);
    run_both(filler, user);
    fclose(from);
    return 0;
}
