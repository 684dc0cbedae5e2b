/* std::weak_ptr: who can lock it has the object, whoever destroys it comes after all uses
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <memory>
#include <thread>

struct object {
    std::atomic<int> value = 7;
    int *out;
    ~object() { *out = value; }
};

int main()
{
    int last = 0, seen = 0;
    auto p = std::make_shared<object>();
    p->out = &last;
    std::weak_ptr<object> w = p;
    std::thread a([w, &seen] {
        if (auto q = w.lock())
            seen = q->value;
    });
    std::thread b([q = std::move(p)]() mutable {
        q->value++;
        q.reset();
    });
    b.join();
    a.join();
    return last != 8 && seen != 7;
}
