/* A pool that does not stop
 * cause:    stop() sets the flag without the lock: a worker misses it
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class pool {
public:
    explicit pool(int n)
    {
        for (int i = 0; i < n; i++)
            workers_.emplace_back([this] { work(); });
    }
    ~pool()
    {
        is_stopped_ = true;
        wake_.notify_all();
        for (auto &w : workers_)
            w.join();
    }
    void submit(std::function<void()> job)
    {
        std::lock_guard<std::mutex> lk(mutex_);
        jobs_.push(std::move(job));
        wake_.notify_one();
    }

private:
    void work()
    {
        std::unique_lock<std::mutex> lk(mutex_);
        while (!is_stopped_) {
            if (jobs_.empty()) {
                wake_.wait(lk);
                continue;
            }
            auto job = std::move(jobs_.front());
            jobs_.pop();
            lk.unlock();
            job();
            lk.lock();
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_;
    std::queue<std::function<void()>> jobs_;
    std::atomic<bool> is_stopped_{false};
    std::vector<std::thread> workers_;
};

int main()
{
    int sum = 0;
    pool p(1);
    p.submit([&sum] { sum++; });
}
