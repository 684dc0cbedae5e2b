/* An exception that skips the unlock
 * cause:    lock() and unlock() by hand around code that throws
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex files;
static int open_files;

static void open_file()
{
    files.lock();
    if (open_files == 1)
        throw std::runtime_error("too many files");
    open_files++;
    files.unlock();
}

static void user()
{
    try {
        open_file();
    } catch (const std::runtime_error &) {
    }
    std::lock_guard<std::mutex> lk(files);
    open_files = 0;
}

int main()
{
    std::thread a(user), b(user);
    a.join();
    b.join();
}
