/* std::pmr::synchronized_pool_resource: memory goes round between threads by locks in the library
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::pmr::synchronized_pool_resource pool;
    auto work = [&pool](int from) {
        for (int round = 0; round < 2; round++) {
            std::pmr::vector<std::pmr::string> v(&pool);
            for (int i = from; i < from + 3; i++)
                v.emplace_back(std::string(40, char('a' + i)));
        }
    };
    std::thread a(work, 0), b(work, 5);
    a.join();
    b.join();
}
