/* A pointer that was never set
 * cause:    the node is published before its pointer is written
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <cstdint>
#include <thread>

struct node {
    int *volatile value;
};
static int number = 1;
static node the_node{reinterpret_cast<int *>(std::uintptr_t(0x5a5a5a5a5a5a5a5a))};
static std::atomic<node *> shared{nullptr};

static void publish()
{
    shared = &the_node;
    the_node.value = &number;
}

int main()
{
    std::thread t(publish);
    node *n = shared;
    int got = n ? *n->value : 1;
    t.join();
    return got != 1;
}
