/* an assertion of two instances of a template
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

template <class T> struct box {
    static void get(std::atomic<int> &x)
    {
        T is_same = !changed(x);
        assert(is_same);
    }
};

static void first()
{
    box<int>::get(a); // bug 1
}

static void second()
{
    box<long>::get(b); // bug 2
}

int main()
{
    std::thread w(writer), x(first), y(second);
    w.join();
    x.join();
    y.join();
}
