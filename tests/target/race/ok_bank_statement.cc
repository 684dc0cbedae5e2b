/* Transfers and statements: each in one section; what is printed depends on who comes first
 * build:    clang++ -std=c++20 -g -O1 -fsanitize=thread -shared-libsan
 * args:
 * races:    none
 */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
struct bank {
    std::mutex m;
    int a = 10, b = 0;
    std::vector<int> history;
    void move(int n)
    {
        std::lock_guard l(m);
        if (a >= n) {
            a -= n;
            b += n;
            history.push_back(n);
        } else
            history.push_back(-n);
    }
    int sum()
    {
        std::lock_guard l(m);
        return a + b;
    }
    size_t entries()
    {
        std::lock_guard l(m);
        return history.size();
    }
};
int main()
{
    bank k;
    int s = 0;
    size_t e = 0;
    std::thread t([&] {
        k.move(7);
        k.move(2);
    }),
        u([&] {
            k.move(6);
            s = k.sum();
            e = k.entries();
        });
    t.join();
    u.join();
    std::printf("%d %d %d %zu\n", k.a, k.b, s, e);
    for (int h : k.history)
        std::printf("%d ", h);
    std::puts("");
    return s != 10;
}
