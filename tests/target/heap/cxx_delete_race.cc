/* A listener that is called while it is deleted
 * cause:    delete race: unsubscribing does not wait for a call under way
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <mutex>
#include <thread>

struct listener {
    int calls = 0, last = 0;
    void on_event(int n)
    {
        last = n;
        calls++; // B
    }
};

static std::mutex m;
static listener *subscriber;

static void publish()
{
    listener *l;
    {
        std::lock_guard guard(m);
        l = subscriber;
    }
    if (l)
        l->on_event(7);
}

static void unsubscribe()
{
    listener *l;
    {
        std::lock_guard guard(m);
        l = subscriber;
        subscriber = nullptr;
    }
    delete l; // A
}

int main()
{
    subscriber = new listener;
    std::thread p(publish), u(unsubscribe);
    p.join();
    u.join();
}
