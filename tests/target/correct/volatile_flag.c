/* A volatile flag ends a loop that does real work
 * cause:    none: the flag is the only thing shared; a late look costs one more pass
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    18-30 (a volatile flag, read and written without order)
 * tsan:     skip, a volatile flag is a data race by the letter
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile int is_over;
static long passes;

static void *worker(void *arg)
{
    while (!is_over) { /* read */
        passes++;
        sched_yield();
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    is_over = 1; /* write */
    pthread_join(t, NULL);
    assert(passes >= 0);
    return 0;
}
