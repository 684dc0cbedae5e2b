// map_test.cc: a map whose get_or_add looks and adds in two steps: two callers both believe that
// they were the first.
#include <heddle/harness.hpp>
#include <map>
#include <mutex>

class Names {
public:
    bool add(int key) // true: it was not there
    {
        if (has(key))
            return false;
        std::lock_guard<std::mutex> hold(lock);
        all[key]++;
        return true;
    }
    bool has(int key)
    {
        std::lock_guard<std::mutex> hold(lock);
        return all.count(key) > 0;
    }

private:
    std::mutex lock;
    std::map<int, int> all;
};

int main()
{
    heddle::harness<Names> h([] { return new Names; });
    h.op("add", [](Names &n, int key) { return n.add(key); });
    h.op("has", [](Names &n, int key) { return n.has(key); });
    return h.linearizable();
}
