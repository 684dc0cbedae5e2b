/* A shared_ptr that is empty by now
 * cause:    checked and used in two steps while another thread resets it
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <memory>
#include <mutex>
#include <thread>

struct session {
    int id = 7;
};
static std::mutex m;
static std::shared_ptr<session> current = std::make_shared<session>();

static bool has_session()
{
    std::lock_guard<std::mutex> lk(m);
    return current != nullptr;
}

static int session_id()
{
    std::lock_guard<std::mutex> lk(m);
    return current->id;
}

int main()
{
    std::thread closer([] {
        std::lock_guard<std::mutex> lk(m);
        current.reset();
    });
    int id = has_session() ? session_id() : 7;
    closer.join();
    return id != 7;
}
