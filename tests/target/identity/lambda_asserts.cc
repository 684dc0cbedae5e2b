/* the same assertion in two lambdas
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <atomic>
#include <cassert>
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

static void first()
{
    auto check = [](bool ok) { assert(ok); }; // bug 1
    check(!changed(a));
}

static void second()
{
    auto check = [](bool ok) { assert(ok); }; // bug 2
    check(!changed(b));
}

int main()
{
    std::thread w(writer), x(first), y(second);
    w.join();
    x.join();
    y.join();
}
