/* A vector is read while another thread appends to it
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <vector>

static std::vector<int> all{1, 2};

static void *writer(void *arg)
{
    all.push_back(3); /* R1 */
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
