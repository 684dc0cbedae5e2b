/* Two threads append to a string
 * cause:    std::string appended to without a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <string>
#include <thread>

static std::string text;

static void say(char c)
{
    size_t n = text.size();
    text.resize(n + 1);
    text[n] = c;
}

int main()
{
    std::thread a(say, 'a'), b(say, 'b');
    a.join();
    b.join();
    assert(text.size() == 2);
}
