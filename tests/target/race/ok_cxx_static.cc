/* A static local variable
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <cstdio>

struct table {
    int n;
    table() { n = 7; }
};
static int get()
{
    static table t;
    return t.n;
}

static void *one(void *arg)
{
    std::printf("%d\n", get());
    return arg;
}

int main()
{
    run_both(one, one);
    return 0;
}
