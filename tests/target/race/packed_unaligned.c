/* A field of a packed structure, across two words
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <stdint.h>

#include "threads.h"

static struct __attribute__((packed)) {
    char tag[5];
    uint64_t size;
    uint16_t end;
} record;
static unsigned long out;

static void *store(void *arg)
{
    record.size = 0x0102030405060708; /* R1 */
    return arg;
}

static void *use(void *arg)
{
    out = record.size >> 32; /* R2 */
    return arg;
}

int main(void)
{
    run_both(store, use);
    printf("%lx\n", out);
    return 0;
}
