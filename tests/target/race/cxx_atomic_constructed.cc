/* An atomic is constructed while another thread loads it: construction is not atomic
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <atomic>
#include <cstdio>
#include <new>
#include <thread>

struct Cell {
    int value;
    explicit Cell(int v) { value = v; /* R1 */ }
};
alignas(Cell) static unsigned char room[sizeof(Cell)];

int main()
{
    int seen = 0;
    std::thread a([] { new (room) Cell(5); });
    std::thread b([&] { seen = __atomic_load_n(reinterpret_cast<int *>(room), __ATOMIC_ACQUIRE); /* R2 */ });
    a.join();
    b.join();
    std::printf("%d\n", seen);
}
