/* A stop callback sets a plain variable, which the thread reads without asking the token
 * build:    clang++ -shared-libsan -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <stop_token>
#include <thread>

static int stopped;

int main()
{
    std::stop_source source;
    std::stop_callback note(source.get_token(), [] { stopped = 1; /* R1 */ });
    int early = 0;
    std::thread t([&] { early = stopped; /* R2 */ });
    source.request_stop();
    t.join();
    std::printf("%d\n", early);
}
