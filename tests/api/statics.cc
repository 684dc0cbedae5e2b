// Function-local statics and std::call_once, with and without exceptions.
#include "check.h"

#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static int made, attempts;

struct Thing {
    int value;
    Thing() : value(0)
    {
        std::this_thread::yield();
        value = 42;
        made++;
    }
};

static Thing &thing()
{
    static Thing t;
    return t;
}

static int fragile()
{
    static int value = [] {
        if (attempts++ < 2)
            throw std::runtime_error("not yet");
        return thing().value + 1;
    }();
    return value;
}

static std::once_flag flag;
static int once_runs, once_done;

static void once_routine()
{
    if (once_runs++ < 2)
        throw 5;
    once_done++;
}

template <typename F> static void all(F f)
{
    std::vector<std::thread> t;
    for (int i = 0; i < 4; i++)
        t.emplace_back(f);
    for (auto &x : t)
        x.join();
}

int main()
{
    all([] { IS(thing().value, 42); });
    IS(made, 1);
    all([] {
        for (;;) {
            try {
                IS(fragile(), 43);
                return;
            } catch (const std::runtime_error &) {
            }
        }
    });
    IS(attempts, 3);
    all([] {
        for (;;) {
            try {
                std::call_once(flag, once_routine);
                IS(once_done, 1);
                return;
            } catch (int e) {
                IS(e, 5);
            }
        }
    });
    IS(once_runs, 3);
    for (int i = 0; i < 3; i++) { // a new flag at an old address
        std::once_flag local;
        int runs = 0;
        std::call_once(local, [&] { runs++; });
        std::call_once(local, [&] { runs++; });
        IS(runs, 1);
    }
    return 0;
}
