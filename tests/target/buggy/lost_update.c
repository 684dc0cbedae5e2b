/* Two deposits, one of them lost
 * cause:    read-modify-write of a plain counter without a lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>

static int balance;

static void *deposit(void *arg)
{
    int seen = balance; /* A */
    balance = seen + 10; /* B */
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(balance == 20);
    return 0;
}
