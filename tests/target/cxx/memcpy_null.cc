/* A copy into a buffer that has gone
 * cause:    memcpy through a pointer that another thread clears
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cstring>
#include <thread>

static char room[256];
static char *volatile target = room;
static volatile size_t length = 200;

static void store(const char *text)
{
    if (target)
        std::memcpy(target, text, length);
}

int main()
{
    std::thread t([] { target = nullptr; });
    static const char text[200] = "text";
    store(text);
    t.join();
}
