/* Bit-fields with a field of no width between them are different memory
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static struct {
    unsigned a : 3, b : 5;
    unsigned : 0;
    unsigned c : 3, d : 5;
    char e;
    char f;
} s;

static void *one(void *arg)
{
    s.a = 1;
    s.b = 2;
    s.e = 3;
    return arg;
}

static void *two(void *arg)
{
    s.c = 1;
    s.d = 2;
    s.f = 3;
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", s.a + s.b + s.c + s.d + s.e + s.f);
    return 0;
}
