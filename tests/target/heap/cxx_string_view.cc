/* A view of a text that is replaced
 * cause:    use after free: a string_view outlives the text of the string
 * build:    g++ -std=c++17 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

static std::mutex m;
static std::string text(40, 'a');
static volatile char seen;

static void look()
{
    std::string_view v;
    {
        std::lock_guard<std::mutex> hold(m); // A
        v = text;
    }
    seen = v[20];
}

static void replace()
{
    std::lock_guard<std::mutex> hold(m); // B
    text = std::string(200, 'b');
}

int main()
{
    std::thread a(look), b(replace);
    a.join();
    b.join();
}
