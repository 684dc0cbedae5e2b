/* A crash deep in templates
 * cause:    the entry of a cache is dropped between two calls
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace storage {
template <class Key, class Value, class Compare = std::less<Key>> class cache {
public:
    using row = std::vector<Value>;
    void put(const Key &k, row r)
    {
        std::lock_guard<std::mutex> lk(lock_);
        rows_[k] = std::make_unique<row>(std::move(r));
    }
    row *get(const Key &k)
    {
        std::lock_guard<std::mutex> lk(lock_);
        auto it = rows_.find(k);
        return it == rows_.end() ? nullptr : it->second.get();
    }
    void clear()
    {
        std::lock_guard<std::mutex> lk(lock_);
        for (auto &r : rows_)
            kept_.push_back(std::move(r.second));
        rows_.clear();
    }

private:
    std::mutex lock_;
    std::map<Key, std::unique_ptr<row>, Compare> rows_;
    std::vector<std::unique_ptr<row>> kept_;
};
}

template <class Cache> static size_t length(Cache &c, const std::string &key)
{
    return c.get(key)->size();
}

int main()
{
    storage::cache<std::string, std::pair<int, std::string>> c;
    c.put("a", {{1, "one"}});
    std::thread t([&c] { c.clear(); });
    size_t n = length(c, "a");
    t.join();
    return n != 1;
}
