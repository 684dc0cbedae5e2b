/* The last owner reads what the others wrote
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <cstdio>
#include <memory>

struct box {
    int n = 0;
    ~box() { std::printf("%d\n", n); }
};
static std::shared_ptr<box> a = std::make_shared<box>(), b = a;

static void *one(void *arg)
{
    a->n = 1;
    a.reset();
    return arg;
}

static void *two(void *arg)
{
    b.reset();
    return arg;
}

int main()
{
    run_both(one, two);
    return 0;
}
