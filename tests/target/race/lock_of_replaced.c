/* The lock is in the configuration, which is replaced: who has the old one and who has the new one hold two locks
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <stdatomic.h>

#include "threads.h"

static struct config {
    pthread_mutex_t lock;
} configs[2] = {{PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}};
static _Atomic(struct config *) current = &configs[0];
static int total;

static void *add(void *arg)
{
    struct config *c = atomic_load(&current);
    pthread_mutex_lock(&c->lock);
    total++; /* R1 */
    pthread_mutex_unlock(&c->lock);
    return arg;
}

static void *reload(void *arg)
{
    atomic_store(&current, &configs[1]);
    return add(arg);
}

int main(void)
{
    run_both(add, reload);
    printf("%d\n", total);
    return 0;
}
