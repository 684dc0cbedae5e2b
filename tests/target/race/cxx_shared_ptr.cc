/* One shared_ptr object, copied and assigned
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <memory>

static std::shared_ptr<int> p = std::make_shared<int>(1);

static void *one(void *arg)
{
    auto mine = p; /* R1 */
    (void)mine;
    return arg;
}

static void *two(void *arg)
{
    p = nullptr; /* R2 */
    return arg;
}

int main()
{
    run_both(one, two);
    return 0;
}
