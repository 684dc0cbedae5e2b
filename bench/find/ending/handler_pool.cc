/* A pool with static storage stops its workers in its destructor; jobs lose updates
 * cause:    two jobs update a sum without a lock; the pool ends with the process
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <mutex>
#include <thread>

class pool {
public:
    pool() : a_(&pool::work, this), b_(&pool::work, this) {}
    ~pool()
    {
        {
            std::lock_guard<std::mutex> hold(lock_);
            is_stopped_ = true;
        }
        a_.join();
        b_.join();
        assert(sum_ == taken_);
    }
    void add(int jobs)
    {
        std::lock_guard<std::mutex> hold(lock_);
        jobs_ += jobs;
    }

private:
    bool take()
    {
        std::lock_guard<std::mutex> hold(lock_);
        if (is_stopped_ || jobs_ == 0)
            return false;
        jobs_--;
        taken_++;
        return true;
    }
    void work()
    {
        while (take())
            sum_ = sum_ + 1;
    }
    std::mutex lock_;
    int jobs_ = 6, taken_ = 0, sum_ = 0;
    bool is_stopped_ = false;
    std::thread a_, b_;
};
static pool workers;

int main() {}
