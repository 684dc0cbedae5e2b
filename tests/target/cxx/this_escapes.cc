/* A thread that is faster than the constructor
 * cause:    the thread is started before the last member is set
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <functional>
#include <thread>

class ticker {
public:
    explicit ticker(std::function<void()> f) : runner_([this] { tick_(); })
    {
        tick_ = std::move(f);
    }
    ~ticker() { runner_.join(); }

private:
    std::function<void()> tick_;
    std::thread runner_;
};

int main()
{
    int ticks = 0;
    ticker t([&ticks] { ticks++; });
}
