/* std::async, std::promise and std::packaged_task
 * cause:    none: every result is handed over by its future
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

static int half(int n)
{
    if (n % 2)
        throw std::invalid_argument("odd");
    return n / 2;
}

int main()
{
    std::future<int> four = std::async(std::launch::async, half, 8);
    std::future<int> fails = std::async(std::launch::async, half, 7);

    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    std::thread keeper([&promise] { promise.set_value(5); });

    std::packaged_task<int(int)> task(half);
    std::shared_future<int> three = task.get_future().share();
    std::thread runner(std::move(task), 6);

    assert(four.get() + promised.get() + three.get() == 12);
    bool caught = false;
    try {
        fails.get();
    } catch (const std::invalid_argument &) {
        caught = true;
    }
    assert(caught);
    keeper.join();
    runner.join();
}
