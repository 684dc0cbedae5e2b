/* An empty queue is popped
 * cause:    if instead of while around a condition wait
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

template <class T> class blocking_queue {
public:
    void push(T value)
    {
        std::lock_guard<std::mutex> lk(mutex_);
        items_.push_back(std::move(value));
        filled_.notify_all();
    }
    T pop()
    {
        std::unique_lock<std::mutex> lk(mutex_);
        if (items_.empty())
            filled_.wait(lk);
        assert(!items_.empty());
        T value = std::move(items_.front());
        items_.pop_front();
        return value;
    }

private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<T> items_;
};

int main()
{
    blocking_queue<int> q;
    std::thread a([&] { q.pop(); });
    std::thread b([&] { q.pop(); });
    q.push(1);
    q.push(2);
    a.join();
    b.join();
}
