/* std::barrier: the completion step adds up what the threads of a phase wrote
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <array>
#include <barrier>
#include <thread>

static std::array<int, 3> part;
static int total, seen[3];

int main()
{
    auto add = []() noexcept {
        for (int v : part)
            total += v;
    };
    std::barrier phase(3, add);
    auto work = [&](int me) {
        for (int i = 1; i <= 2; i++) {
            part[me] = i * (me + 1);
            phase.arrive_and_wait();
            seen[me] += total;
            auto token = phase.arrive();
            phase.wait(std::move(token));
        }
        phase.arrive_and_drop();
    };
    std::jthread a(work, 0), b(work, 1);
    work(2);
    a.join(), b.join();
    return seen[0] != seen[1] || seen[1] != seen[2];
}
