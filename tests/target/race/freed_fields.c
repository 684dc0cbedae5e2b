/* A record is freed while another thread reads one field of it after the other
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R1-R3 R1-R4 R5-R6
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

struct record {
    int id, size, owner;
};
static struct record *record;
static volatile int sum;

static void *retire(void *arg)
{
    struct record *old = record;
    record = NULL; /* R5 */
    free(old); /* R1 */
    return arg;
}

static void *show(void *arg)
{
    struct record *r = record; /* R6 */
    if (!r)
        return arg;
    sum = r->id; /* R2 */
    sum += r->size; /* R3 */
    sum += r->owner; /* R4 */
    return arg;
}

int main(void)
{
    record = calloc(1, sizeof *record);
    run_both(retire, show);
    return 0;
}
