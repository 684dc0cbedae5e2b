/* A session is found in the table and gets one more user, while the last one before gives it up and frees it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static struct session {
    atomic_int users;
    int id;
} *_Atomic table[1];
static volatile int id;

static void *close_it(void *arg)
{
    struct session *s = atomic_load(&table[0]);
    if (atomic_fetch_sub(&s->users, 1) == 1) {
        atomic_store(&table[0], NULL);
        free(s); /* R1 */
    }
    return arg;
}

static void *find(void *arg)
{
    struct session *s = atomic_load(&table[0]);
    if (s) {
        atomic_fetch_add(&s->users, 1); /* R2 */
        id = s->id;
    }
    return arg;
}

int main(void)
{
    struct session *s = malloc(sizeof *s);
    s->id = 3;
    atomic_init(&s->users, 1);
    atomic_store(&table[0], s);
    run_both(close_it, find);
    return 0;
}
