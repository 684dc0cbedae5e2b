/* A bool member that stops a worker
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

struct server {
    bool stop = false;
    int rounds = 0;
    void run()
    {
        while (!stop && rounds < 3) /* R1 */
            rounds++;
    }
};
static server s;

static void *one(void *arg)
{
    s.run();
    return arg;
}

static void *two(void *arg)
{
    s.stop = true; /* R2 */
    return arg;
}

int main()
{
    run_both(one, two);
    return 0;
}
