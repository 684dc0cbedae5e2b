/* A detached thread outlives its data
 * cause:    delete while a detached thread still uses the object
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <thread>

struct request {
    std::atomic<int> state{0};
    int bytes = 0;
};

static std::atomic<bool> is_done{false};

static void serve(request *r)
{
    r->state = 1;
    r->bytes += 100;
    is_done = true;
}

int main()
{
    request *r = new request;
    std::thread(serve, r).detach();
    while (r->state == 0)
        std::this_thread::yield();
    delete r;
    while (!is_done)
        std::this_thread::yield();
}
