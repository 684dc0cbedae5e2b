/* Pipes block readers until data and writers until space
 * text:   a blocking read returns what is there; a write of more than fits waits and writes all;
 *         writes up to PIPE_BUF are not mixed
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>

static int p[2];

static void *writer(void *arg)
{
    char block[512];
    memset(block, *(char *)arg, sizeof block);
    for (int i = 0; i < 200; i++)
        IS(write(p[1], block, sizeof block), sizeof block);
    return NULL;
}

int main(void)
{
    char block[512];
    int count[2] = {0, 0};
    OK(pipe(p));
    pthread_t a = start(writer, "a"), b = start(writer, "b");
    for (int i = 0; i < 400; i++) {
        size_t n = 0;
        while (n < sizeof block) {
            ssize_t r = read(p[0], block + n, sizeof block - n);
            TRUE(r > 0);
            n += (size_t)r;
        }
        for (unsigned j = 0; j < sizeof block; j++)
            IS(block[j], block[0]);
        count[block[0] - 'a']++;
    }
    join(a);
    join(b);
    IS(count[0], 200);
    IS(count[1], 200);
    return 0;
}
