/* One exception object is rethrown in two threads, and each adds to it
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <cstdio>
#include <exception>
#include <thread>
struct failure {
    int depth = 0;
};
int main()
{
    std::exception_ptr e = std::make_exception_ptr(failure{});
    auto body = [e] {
        try {
            std::rethrow_exception(e);
        } catch (failure &f) {
            f.depth++; /* R1 */
        }
    };
    std::thread a(body), b(body);
    a.join();
    b.join();
    try {
        std::rethrow_exception(e);
    } catch (failure &f) {
        std::printf("%d\n", f.depth);
    }
}
