/* Exceptions and values through futures
 * cause:    none: shared_future hands one result to several threads
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    auto bad = std::async(std::launch::async, []() -> int { throw std::logic_error("no"); });
    std::packaged_task<int(int)> task([](int n) { return n * 2; });
    std::shared_future<int> result = task.get_future().share();
    std::thread runner(std::move(task), 21);
    int sum = 0;
    std::thread reader([&] { sum = result.get(); });
    assert(result.get() == 42);
    bool is_thrown = false;
    try {
        bad.get();
    } catch (const std::logic_error &) {
        is_thrown = true;
    }
    runner.join();
    reader.join();
    assert(is_thrown && sum == 42);
}
