/* An object destroyed while it is locked
 * cause:    the owner deletes the object, mutex and all, too early
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   misuse
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <mutex>
#include <thread>
#include <pthread.h>

class channel {
public:
    channel() { pthread_mutex_init(&lock_, nullptr); }
    ~channel() { pthread_mutex_destroy(&lock_); }
    void send(std::atomic<bool> &is_sent)
    {
        pthread_mutex_lock(&lock_);
        is_sent = true;
        pthread_mutex_unlock(&lock_);
    }

private:
    pthread_mutex_t lock_;
};

int main()
{
    static std::atomic<bool> is_sent{false};
    alignas(channel) static char room[sizeof(channel)];
    channel *c = new (room) channel;
    std::thread t([c] { c->send(is_sent); });
    while (!is_sent)
        std::this_thread::yield();
    c->~channel();
    t.join();
}
