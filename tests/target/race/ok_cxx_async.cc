/* std::async, a promise, and a pool of packaged tasks
 * build:    g++ -std=c++17 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

static std::deque<std::packaged_task<int()>> tasks;
static std::mutex lock;
static std::condition_variable changed;
static bool is_over;

static void work()
{
    for (;;) {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [] { return is_over || !tasks.empty(); });
        if (tasks.empty())
            return;
        auto task = std::move(tasks.front());
        tasks.pop_front();
        hold.unlock();
        task();
    }
}

int main()
{
    int value = 1;
    auto later = std::async(std::launch::async, [&] { value = 2; return value; });
    std::thread worker(work);
    std::packaged_task<int()> task([] { return 3; });
    auto result = task.get_future();
    {
        std::lock_guard<std::mutex> hold(lock);
        tasks.push_back(std::move(task));
    }
    changed.notify_one();
    int sum = later.get() + result.get() + value;
    {
        std::lock_guard<std::mutex> hold(lock);
        is_over = true;
    }
    changed.notify_one();
    worker.join();
    return sum != 7;
}
