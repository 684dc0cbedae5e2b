/* lost wake-ups in two classes, their objects on the stack
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class door {
public:
    void pass()
    {
        std::unique_lock<std::mutex> lk(lock_);
        while (!is_open_)
            opened_.wait(lk);
    }
    void open()
    {
        is_open_ = true;
        opened_.notify_all(); // bug 1
    }

private:
    std::mutex lock_;
    std::condition_variable opened_;
    std::atomic<bool> is_open_{false};
};

class bell {
public:
    void listen()
    {
        std::unique_lock<std::mutex> lk(lock_);
        while (!has_rung_)
            rings_.wait(lk);
    }
    void ring()
    {
        has_rung_ = true;
        rings_.notify_one(); // bug 2
    }

private:
    std::mutex lock_;
    std::condition_variable rings_;
    std::atomic<bool> has_rung_{false};
};

int main()
{
    door d;
    bell c;
    std::thread x(&door::pass, &d), y(&bell::listen, &c);
    d.open();
    x.join();
    c.ring();
    y.join();
}
