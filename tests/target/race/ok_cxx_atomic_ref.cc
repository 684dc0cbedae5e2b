/* std::atomic_ref on plain memory while threads share it, plain accesses before and after
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <thread>

static int value, data;

int main()
{
    value = 0;
    std::thread a([] {
        data = 7;
        std::atomic_ref<int>(value).store(1, std::memory_order_release);
    });
    std::thread b([] {
        while (!std::atomic_ref<int>(value).load(std::memory_order_acquire))
            std::this_thread::yield();
        data++;
        std::atomic_ref<int>(value).fetch_add(1);
    });
    a.join();
    b.join();
    return value != 2 || data != 8;
}
