/* A pool of threads that takes packaged tasks from a queue; results through futures
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class pool {
    std::mutex m;
    std::condition_variable cv;
    std::deque<std::packaged_task<int()>> queue;
    bool closed = false;
    std::vector<std::jthread> threads;

    void work()
    {
        for (;;) {
            std::packaged_task<int()> task;
            {
                std::unique_lock lock(m);
                cv.wait(lock, [&] { return closed || !queue.empty(); });
                if (queue.empty())
                    return;
                task = std::move(queue.front());
                queue.pop_front();
            }
            task();
        }
    }

public:
    explicit pool(int n)
    {
        for (int i = 0; i < n; i++)
            threads.emplace_back([this] { work(); });
    }
    std::future<int> add(std::packaged_task<int()> task)
    {
        auto f = task.get_future();
        {
            std::lock_guard lock(m);
            queue.push_back(std::move(task));
        }
        cv.notify_one();
        return f;
    }
    ~pool()
    {
        std::lock_guard lock(m);
        closed = true;
        cv.notify_all();
    }
};

int main()
{
    int sum = 0, caught = 0;
    std::vector<int> squares(4);
    {
        pool p(2);
        std::vector<std::future<int>> results;
        for (int i = 0; i < 4; i++)
            results.push_back(p.add(std::packaged_task<int()>([&squares, i] {
                if (i == 3)
                    throw std::runtime_error("three");
                return squares[i] = i * i;
            })));
        for (int i = 0; i < 4; i++)
            try {
                sum += results[i].get();
                sum += squares[i];
            } catch (const std::runtime_error &) {
                caught++;
            }
    }
    return sum != 10 || caught != 1;
}
