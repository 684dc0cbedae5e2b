/* Initialised by std::call_once
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <cstdio>
#include <mutex>

static std::once_flag once;
static int n;

static void *one(void *arg)
{
    std::call_once(once, [] { n = 4; });
    std::printf("%d\n", n);
    return arg;
}

int main()
{
    run_both(one, one);
    return 0;
}
