/* A thread that the base class starts comes to members that the derived one has not set yet
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <new>
#include <thread>

static int *limit_of;

struct Base {
    std::thread worker;
    Base() : worker([] { std::printf("%d\n", *limit_of); /* R1 */ }) {}
};

struct Derived : Base {
    int limit;
    Derived(int n) : Base() { limit = n; /* R2 */ }
};

alignas(Derived) static unsigned char room[sizeof(Derived)];

int main()
{
    limit_of = &reinterpret_cast<Derived *>(room)->limit;
    Derived *d = new (room) Derived(7);
    d->worker.join();
}
