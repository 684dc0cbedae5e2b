/* A thread ends the process while another one writes a record in two parts
 * cause:    exit handler sees half a record
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int head, tail;

static void check(void) { assert(atomic_load(&head) == atomic_load(&tail)); }

static void *save(void *arg)
{
    for (int i = 0; i < 2; i++) {
        atomic_fetch_add(&head, 1);
        atomic_fetch_add(&tail, 1);
    }
    return arg;
}

static void *quit(void *arg)
{
    for (int i = 0; i < 3; i++)
        sched_yield();
    exit(0);
}

int main(void)
{
    pthread_t a, b;
    atexit(check);
    pthread_create(&a, NULL, save, NULL);
    pthread_create(&b, NULL, quit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
