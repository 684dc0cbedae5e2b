/* A static variable whose constructor throws for the first who comes, and a once that throws: the next one
 * tries again, and all read what the last one made
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <mutex>
#include <stdexcept>
#include <thread>

static int tries, once_tries, table[4];

struct config {
    int value;
    config()
    {
        if (tries++ == 0)
            throw std::runtime_error("not yet");
        value = 4;
    }
};

static int get()
{
    for (;;) {
        try {
            static config c;
            return c.value;
        } catch (const std::runtime_error &) {
        }
    }
}

static std::once_flag once;

static int fill()
{
    for (;;) {
        try {
            std::call_once(once, [] {
                table[once_tries] = 1;
                if (once_tries++ == 0)
                    throw 1;
            });
            return table[0] + table[1];
        } catch (int) {
        }
    }
}

int main()
{
    int a = 0, b = 0;
    std::thread t([&] { a = get() + fill(); }), u([&] { b = fill() + get(); });
    t.join();
    u.join();
    return a != 6 || b != 6;
}
