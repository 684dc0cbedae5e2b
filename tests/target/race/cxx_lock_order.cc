/* Guards of two mutexes in two orders
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    L1-L2
 * class:    fails
 * finding:  blocked
 */
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int n;

static void one()
{
    std::lock_guard<std::mutex> first(a);
    std::lock_guard<std::mutex> second(b); /* L1 */
    n++;
}

static void two()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::unique_lock<std::mutex> first(b);
    std::unique_lock<std::mutex> second(a); /* L2 */
    n++;
}

int main()
{
    std::thread t(one), u(two);
    t.join();
    u.join();
    std::printf("%d\n", n);
    return 0;
}
