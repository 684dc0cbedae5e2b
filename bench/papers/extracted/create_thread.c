/* Order: the parent stores what its child is known by after the child was started.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static atomic_int id;

static void *child(void *arg)
{
    assert(id == 7);
    work(WORK);
    return arg;
}

static void *other(void *arg)
{
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(child);
    id = 7;
    pthread_t b = start(other);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
