/* What was written before request_stop() is read in a stop_callback, and by the thread that sees stop_requested()
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main()
{
    int why = 0, seen = 0, called = 0;
    std::mutex m;
    std::condition_variable_any changed;
    std::jthread worker([&](std::stop_token stop) {
        std::stop_callback callback(stop, [&] { called = why; });
        std::unique_lock lock(m);
        changed.wait(lock, stop, [] { return false; });
        seen = why;
    });
    why = 5;
    worker.request_stop();
    worker.join();
    return seen != 5 || (called && called != 5); /* its thread may take it back first */
}
