/* Looked for, not found, made twice
 * cause:    find and insert of an unordered_map in two critical sections
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

class registry {
public:
    void use(const std::string &name)
    {
        if (!has(name)) {
            std::lock_guard<std::mutex> lk(mutex_);
            created_++;
            entries_[name] = created_;
        }
    }
    int created() const { return created_; }

private:
    bool has(const std::string &name)
    {
        std::lock_guard<std::mutex> lk(mutex_);
        return entries_.count(name) != 0;
    }
    std::mutex mutex_;
    std::unordered_map<std::string, int> entries_;
    int created_ = 0;
};

int main()
{
    registry r;
    std::thread t([&r] { r.use("log"); });
    r.use("log");
    t.join();
    assert(r.created() == 1);
}
