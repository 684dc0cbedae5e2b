/* A singleton seen half made
 * cause:    the pointer is published before the object is filled
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <mutex>
#include <thread>

class settings {
public:
    static settings *instance()
    {
        if (!instance_) {
            std::lock_guard<std::mutex> lk(lock_);
            if (!instance_) {
                instance_ = &only_;
                instance_->load();
            }
        }
        return instance_;
    }
    bool is_loaded() const { return is_loaded_; }

private:
    void load() { is_loaded_ = true; }
    bool is_loaded_ = false;
    static std::mutex lock_;
    static settings only_;
    static settings *volatile instance_;
};
std::mutex settings::lock_;
settings settings::only_;
settings *volatile settings::instance_;

int main()
{
    std::thread t([] { settings::instance(); });
    assert(settings::instance()->is_loaded());
    t.join();
}
