/* Two initializations that need each other
 * cause:    std::call_once of two flags in opposite order
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <thread>

static std::once_flag log_once, config_once;
static int depth;

static void open_log();
static void load_config()
{
    std::call_once(config_once, [] {
        depth++;
        open_log();
    });
}

static void open_log()
{
    std::call_once(log_once, [] {
        if (depth < 1)
            load_config();
    });
}

int main()
{
    std::thread t(open_log);
    load_config();
    t.join();
}
