/* Order: the writer announces the end of a transfer before its last block is there.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static atomic_int is_done, blocks;

static void *write_blocks(void *arg)
{
    blocks = 1;
    is_done = 1;
    blocks = 2;
    work(WORK);
    return arg;
}

static void *read_blocks(void *arg)
{
    if (is_done)
        assert(blocks == 2);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(write_blocks), b = start(read_blocks);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
