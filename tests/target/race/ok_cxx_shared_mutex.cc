/* Readers and a writer under a std::shared_mutex; std::scoped_lock over two
 * build:    g++ -std=c++17 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::map<int, int> table;
static std::shared_mutex lock;
static std::mutex other;
static int reads;

static void read()
{
    std::shared_lock<std::shared_mutex> hold(lock);
    int n = static_cast<int>(table.count(1));
    std::lock_guard<std::mutex> own(other);
    reads += 1 + n - n;
}

static void write()
{
    std::scoped_lock hold(lock, other);
    table[1] = reads;
}

int main()
{
    std::thread a(read), b(read), c(write);
    a.join();
    b.join();
    c.join();
    return reads != 2;
}
