/* exceptions of two types, from one function
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <atomic>
#include <stdexcept>
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

static void check(bool is_bad, bool is_range)
{
    if (is_bad && is_range)
        throw std::out_of_range("index");
    if (is_bad)
        throw std::logic_error("state");
}

static void first()
{
    check(changed(a), true); // bug 1
}

static void second()
{
    check(changed(b), false); // bug 2
}

int main()
{
    std::thread w(writer), x(first), y(second);
    w.join();
    x.join();
    y.join();
}
