/* Double-checked initialisation with acquire and release
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
    int *c = atomic_load_explicit(&config, memory_order_acquire);
    if (!c) {
        pthread_mutex_lock(&lock);
        c = atomic_load_explicit(&config, memory_order_relaxed);
        if (!c) {
            c = malloc(sizeof *c);
            *c = 3;
            atomic_store_explicit(&config, c, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return *c;
}

static void *one(void *arg)
{
    get();
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("%d\n", get());
    free(atomic_load(&config));
    return 0;
}
