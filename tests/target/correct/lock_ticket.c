/* A ticket lock
 * cause:    none: tickets are served in order
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int n;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        unsigned mine = atomic_fetch_add(&next, 1);
        while (atomic_load(&serving) != mine)
            __builtin_ia32_pause();
        n++;
        atomic_store(&serving, mine + 1);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(n == 9);
    return 0;
}
