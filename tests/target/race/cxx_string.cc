/* A string assigned while it is read
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <cstdio>
#include <string>

static std::string name = "a";

static void *one(void *arg)
{
    name = "b"; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    std::printf("%c\n", name[0]); /* R2 */
    return arg;
}

int main()
{
    run_both(one, two);
    return 0;
}
