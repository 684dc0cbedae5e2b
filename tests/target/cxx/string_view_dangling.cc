/* A view of a string that was replaced
 * cause:    string_view kept while another thread assigns the string
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

static std::mutex m;
static std::string title(100, 'a');

static std::string_view current_title()
{
    std::lock_guard<std::mutex> lk(m);
    return title;
}

static void rename_to(const char *text)
{
    std::lock_guard<std::mutex> lk(m);
    title = std::string(200, *text);
}

int main()
{
    std::thread t(rename_to, "b");
    std::string_view v = current_title();
    char first = v[0];
    t.join();
    return first != 'a' && first != 'b'; // freed memory holds anything
}
