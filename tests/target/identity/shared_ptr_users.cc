/* an empty shared_ptr used in two functions
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <memory>
#include <mutex>
#include <thread>

struct session {
    int id = 1;
};
static std::mutex m;
static std::shared_ptr<session> one = std::make_shared<session>(), two = std::make_shared<session>();

static bool has(std::shared_ptr<session> &s)
{
    std::lock_guard<std::mutex> lk(m);
    return bool(s);
}

static void drop(std::shared_ptr<session> &s)
{
    std::lock_guard<std::mutex> lk(m);
    s.reset();
}

static int first_id()
{
    std::lock_guard<std::mutex> lk(m);
    return one->id; // bug 1
}

static int second_id()
{
    std::lock_guard<std::mutex> lk(m);
    return two->id; // bug 2
}

int main()
{
    std::thread t([] {
        drop(one);
        drop(two);
    });
    int sum = 0;
    if (has(one))
        sum += first_id();
    if (has(two))
        sum += second_id();
    t.join();
    return sum > 2;
}
