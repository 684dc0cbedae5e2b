/* A thread that nobody joins comes to an object with static storage that exit() takes down
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <thread>

struct Registry {
    int entries = 1;
    ~Registry() { entries = 0; /* R1 */ }
};
static Registry registry;

int main()
{
    std::thread([] { std::printf("%d\n", registry.entries); /* R2 */ }).detach();
    return 0;
}
