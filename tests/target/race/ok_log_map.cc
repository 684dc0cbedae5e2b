/* Prints in the order of arrival: a map, a deque and a list under one lock, two sections a thread
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
std::mutex m;
std::deque<int> d;
std::list<std::string> l;
std::map<int, int> when;
int clock_now;
static void put(int i)
{
    std::lock_guard g(m);
    d.push_back(i);
    l.push_back("item number " + std::to_string(i));
    when[i] = clock_now++;
}
int main()
{
    std::thread a([] {
        put(1);
        put(11);
    }),
        b([] {
            put(2);
            put(12);
        });
    a.join();
    b.join();
    for (int x : d)
        std::printf("%d ", x);
    for (auto &s : l)
        std::printf("%s,", s.c_str());
    for (auto &[k, v] : when)
        std::printf("%d@%d ", k, v);
    std::puts("");
}
