/* The destructor of a thread's own data adds it up, under a lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>

#include "threads.h"

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add_up(void *p)
{
    pthread_mutex_lock(&lock);
    total = total + *(int *)p;
    pthread_mutex_unlock(&lock);
    free(p);
}

static void *one(void *arg)
{
    int *own = malloc(sizeof *own);
    *own = 1;
    pthread_setspecific(key, own);
    *own = *own + 1;
    return arg;
}

int main(void)
{
    pthread_key_create(&key, add_up);
    run_both(one, one);
    return total != 4;
}
