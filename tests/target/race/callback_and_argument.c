/* A callback and its argument are replaced one after the other while another thread calls it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4
 * class:    any
 */
#include "threads.h"

static void say(const char *what)
{
    puts(what);
}

static void shout(const char *what)
{
    printf("%s!\n", what);
}

static void (*callback)(const char *) = say;
static const char *argument = "said";

static void *replace(void *arg)
{
    callback = shout;     /* R1 */
    argument = "shouted"; /* R3 */
    return arg;
}

static void *call(void *arg)
{
    void (*f)(const char *) = callback; /* R2 */
    const char *a = argument;           /* R4 */
    f(a);
    return arg;
}

int main(void)
{
    run_both(replace, call);
    return 0;
}
