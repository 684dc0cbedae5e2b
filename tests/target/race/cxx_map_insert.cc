/* The size of a map is asked for while another thread inserts
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <map>

static std::map<int, int> all;

static void *writer(void *arg)
{
    all[1] = 2; /* R1 */
    return arg;
}

static void *reader(void *arg)
{
    printf("%zu\n", all.size()); /* R2 */
    return arg;
}

int main()
{
    run_both(writer, reader);
    return 0;
}
