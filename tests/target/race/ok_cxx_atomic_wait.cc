/* A thread waits on an atomic and is notified; a jthread is asked to stop
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <thread>

static std::atomic<int> flag;
static int data;

int main()
{
    std::thread a([] {
        data = 2;
        flag.store(1, std::memory_order_release);
        flag.notify_one();
    });
    flag.wait(0, std::memory_order_acquire);
    int seen = data;
    a.join();
    int last = 0;
    {
        std::jthread j([&](std::stop_token stop) {
            while (!stop.stop_requested())
                std::this_thread::yield();
            last = 1;
        });
    }
    return seen != 2 || last != 1;
}
