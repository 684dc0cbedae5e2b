/* A monitor with two conditions and a turn
 * cause:    none: each waiter checks its own predicate in a loop
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t even = PTHREAD_COND_INITIALIZER, odd = PTHREAD_COND_INITIALIZER;
static int next, order[8];

static void *worker(void *arg)
{
    int parity = arg != NULL;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        while (next % 2 != parity)
            pthread_cond_wait(parity ? &odd : &even, &lock);
        order[next++] = parity;
        pthread_cond_signal(parity ? &even : &odd);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, &next);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 8; i++)
        assert(order[i] == i % 2);
    return 0;
}
