/* A static object starts a thread before main.
 * expect: clean */
#include <atomic>
#include <thread>

static std::atomic<int> n{0};
struct starter {
    std::thread t;
    starter() : t([] { n++; }) {}
    ~starter() { t.join(); }
};
static starter s;

int main()
{
    std::thread other([] { n++; });
    other.join();
    return 0;
}
