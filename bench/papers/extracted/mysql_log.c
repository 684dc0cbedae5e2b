/* Atomicity: a log is closed and opened again in two steps; a record written in between is
 * lost.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static atomic_int is_open = 1, written;

static void *rotate(void *arg)
{
    is_open = 0;
    is_open = 1;
    work(WORK);
    return arg;
}

static void *insert(void *arg)
{
    if (is_open)
        written++;
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(rotate), b = start(insert);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(written == 1);
    return 0;
}
