/* A ticket lock whose waiters sometimes yield, sometimes not
 * cause:    none: a thread goes on when its number is called
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define N 4

static atomic_int next, turn;
static int sum;

static void *worker(void *arg)
{
    unsigned r = (unsigned)(long)arg;
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&turn) != mine)
        if ((r = r * 1103515245u + 12345) >> 16 & 1)
            sched_yield();
    sum++;
    atomic_fetch_add(&turn, 1);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(sum == N);
    return 0;
}
