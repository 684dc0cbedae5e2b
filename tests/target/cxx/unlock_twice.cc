/* A lock given back twice
 * cause:    a thread gives back what another one has locked
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   misuse
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <thread>

static std::mutex m;
static volatile bool is_locked;

static void finish()
{
    if (is_locked) {
        is_locked = false;
        m.unlock();
    }
}

static void user()
{
    m.lock();
    is_locked = true;
    finish();
}

int main()
{
    std::thread a(user);
    finish();
    a.join();
}
