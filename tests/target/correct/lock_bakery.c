/* Three threads take turns by Lamport's bakery
 * cause:    none: tickets are sequentially consistent atomics, the smallest goes first
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define N 3
static _Atomic int choosing[N], number[N];
static int shared;

static void lock(int me)
{
    int max = 0;
    choosing[me] = 1;
    for (int i = 0; i < N; i++)
        if (number[i] > max)
            max = number[i];
    number[me] = max + 1;
    choosing[me] = 0;
    for (int i = 0; i < N; i++) {
        while (choosing[i])
            sched_yield();
        for (int theirs; (theirs = number[i]) && (theirs < number[me] || (theirs == number[me] && i < me));)
            sched_yield();
    }
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        lock(me);
        shared++;
        number[me] = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(shared == 2 * N);
    return 0;
}
