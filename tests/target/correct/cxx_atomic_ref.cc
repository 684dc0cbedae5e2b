/* std::atomic_ref and fetch_max over a plain array
 * cause:    none: all accesses while threads run are through atomic_ref
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

int main()
{
    int count[2] = {}, most = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 3; k++)
                std::atomic_ref(count[k % 2]).fetch_add(1);
            std::atomic_ref<int> m(most);
            for (int seen = m.load(); seen < i && !m.compare_exchange_weak(seen, i);)
                ;
        });
    for (auto &t : threads)
        t.join();
    assert(count[0] == 6 && count[1] == 3 && most == 2);
}
