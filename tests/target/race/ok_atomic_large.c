/* An atomic structure of 24 bytes: libatomic keeps a lock for it
 * build:    gcc -g -O1 -fsanitize=thread -Wl,--push-state,--no-as-needed -latomic -Wl,--pop-state
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct three {
    long a, b, c;
};
static _Atomic struct three all;

static void *writer(void *arg)
{
    for (long i = 1; i < 4; i++) {
        struct three t = {i, i, i};
        atomic_store(&all, t);
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 3; i++) {
        struct three t = atomic_load(&all);
        if (t.a != t.b || t.b != t.c)
            abort();
    }
    return arg;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
