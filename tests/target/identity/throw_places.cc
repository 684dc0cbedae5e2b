/* the same exception from two functions
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <atomic>
#include <vector>
#include <thread>

static std::atomic<int> a, b;

static bool changed(std::atomic<int> &x)
{
    int before = x.load();
    return before != x.load();
}

static void writer()
{
    a = 1;
    b = 1;
}

static std::vector<int> none;

static void first()
{
    if (changed(a))
        none.at(1) = 1; // bug 1
}

static void second()
{
    if (changed(b))
        none.at(2) = 1; // bug 2
}

int main()
{
    std::thread w(writer), x(first), y(second);
    w.join();
    x.join();
    y.join();
}
