/* Peterson's algorithm
 * cause:    none: all accesses are sequentially consistent
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int n;

static void *worker(void *arg)
{
    int me = (int)(long)arg, you = !me;
    for (int i = 0; i < 4; i++) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, you);
        while (atomic_load(&wants[you]) && atomic_load(&turn) == you)
            ;
        n++;
        atomic_store(&wants[me], 0);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(n == 8);
    return 0;
}
