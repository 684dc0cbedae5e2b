/* The last user is counted wrongly and frees the block under another one, main does not wait
 * cause:    decrement and test are two steps
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <thread>

struct block {
    std::atomic<int> users{3};
    int data[4] = {};
};

static void use(block *b)
{
    b->data[0]++;
    b->users.fetch_sub(1);
    if (b->users.load() == 0)
        delete b;
}

int main()
{
    auto *b = new block;
    for (int i = 0; i < 3; i++)
        std::thread([b] { use(b); }).detach();
}
