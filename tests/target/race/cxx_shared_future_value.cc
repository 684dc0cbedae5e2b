/* Two threads get the same object out of a shared_future, and one of them changes it
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <cstdio>
#include <future>
#include <memory>
#include <thread>
struct doc {
    int version = 1;
};
int main()
{
    std::promise<std::shared_ptr<doc>> p;
    std::shared_future<std::shared_ptr<doc>> f = p.get_future().share();
    std::thread a([f] { f.get()->version = 2; });                   /* R1 */
    std::thread b([f] { std::printf("v%d\n", f.get()->version); }); /* R2 */
    p.set_value(std::make_shared<doc>());
    a.join();
    b.join();
}
