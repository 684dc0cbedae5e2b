/* A call while the object is being destroyed
 * cause:    the base class waits in its destructor for a thread that calls a virtual function
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <thread>

struct task {
    std::thread runner;
    std::atomic<int> done{0};
    virtual void run() = 0;
    virtual ~task() { runner.join(); }
    void start() { runner = std::thread([this] { run(); }); }
};

struct print_task : task {
    void run() override { done++; }
};

int main()
{
    print_task p;
    p.start();
}
