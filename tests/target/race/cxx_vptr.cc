/* A virtual call while the destructor of the derived class runs
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <new>

struct base {
    virtual ~base() {} /* R2 */
    virtual int id() { return 1; }
};
struct derived : base {
    ~derived() override {}
    int id() override { return 2; }
};

alignas(derived) static unsigned char room[sizeof(derived)];
static base *object;

static void *user(void *arg)
{
    printf("%d\n", object->id()); /* R1 */
    return arg;
}

static void *owner(void *arg)
{
    object->~base();
    return arg;
}

int main()
{
    object = new (room) derived;
    run_both(user, owner);
    return 0;
}
