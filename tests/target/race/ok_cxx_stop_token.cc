/* jthread: what is written before request_stop() is seen by who saw the stop, and by callbacks
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static int reason, heard, by_callback;

int main()
{
    std::mutex m;
    std::condition_variable_any cv;
    {
        std::jthread t([&](std::stop_token st) {
            std::stop_callback note(st, [&] { by_callback = reason; });
            std::unique_lock lock(m);
            cv.wait(lock, st, [] { return false; });
            heard = reason;
        });
        std::jthread spin([&](std::stop_token st) {
            while (!st.stop_requested())
                std::this_thread::yield();
        });
        reason = 5;
        t.request_stop();
        spin.request_stop();
    }
    return heard != 5 || (by_callback && by_callback != 5); /* it may be gone before it is called */
}
