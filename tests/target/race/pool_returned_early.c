/* An object goes back to the pool before its last use
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct obj {
    struct obj *next;
    int value;
} object, *pool = &object;
static int out;

static struct obj *get(void)
{
    pthread_mutex_lock(&m);
    struct obj *o = pool;
    if (o)
        pool = o->next;
    pthread_mutex_unlock(&m);
    return o;
}
static void put(struct obj *o)
{
    pthread_mutex_lock(&m);
    o->next = pool;
    pool = o;
    pthread_mutex_unlock(&m);
}

static void *first(void *arg)
{
    struct obj *o = get();
    if (o) {
        put(o);
        out = o->value; /* R1 */
    }
    return arg;
}

static void *second(void *arg)
{
    struct obj *o = get();
    if (o) {
        o->value = 9; /* R2 */
        put(o);
    }
    return arg;
}

int main(void)
{
    run_both(first, second);
    printf("%d\n", out);
    return 0;
}
