/* Two threads write their own bit of a vector<bool>
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <cstdio>
#include <thread>
#include <vector>
int main()
{
    std::vector<bool> seen(8);
    std::thread a([&] { seen[0] = true; }); /* R1 */
    std::thread b([&] { seen[1] = true; }); /* R2 */
    a.join();
    b.join();
    std::printf("%d%d\n", (int)seen[0], (int)seen[1]);
}
