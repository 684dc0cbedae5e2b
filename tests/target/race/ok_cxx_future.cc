/* Handed over by a promise
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <cstdio>
#include <future>

static std::promise<int> promise;
static int data;

static void *one(void *arg)
{
    data = 1;
    promise.set_value(2);
    return arg;
}

static void *two(void *arg)
{
    int n = promise.get_future().get();
    std::printf("%d\n", n + data);
    return arg;
}

int main()
{
    run_both(one, two);
    return 0;
}
