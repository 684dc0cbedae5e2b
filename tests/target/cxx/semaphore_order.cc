/* Two semaphores in opposite order
 * cause:    std::counting_semaphore: each thread holds what the other one wants
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> printers(1), scanners(1);

static void copy_page()
{
    scanners.acquire();
    printers.acquire();
    printers.release();
    scanners.release();
}

static void print_scan()
{
    printers.acquire();
    scanners.acquire();
    scanners.release();
    printers.release();
}

int main()
{
    std::thread t(copy_page);
    print_scan();
    t.join();
}
