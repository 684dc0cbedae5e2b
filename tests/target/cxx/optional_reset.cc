/* An optional that is empty by now
 * cause:    has_value() and value() in two critical sections
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <optional>
#include <string>
#include <thread>

static std::mutex m;
static std::optional<std::string> name = "heddle";

static bool has_name()
{
    std::lock_guard lk(m);
    return name.has_value();
}

static size_t name_length()
{
    std::lock_guard lk(m);
    return name.value().size();
}

int main()
{
    std::thread t([] {
        std::lock_guard lk(m);
        name.reset();
    });
    size_t n = has_name() ? name_length() : 0;
    t.join();
    return n > 6;
}
