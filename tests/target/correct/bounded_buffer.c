/* A bounded buffer with one condition variable for each side
 * cause:    none: predicates in loops, a signal only wakes those who can use it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

#define CAPACITY 2
#define EACH 4
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot[CAPACITY], first, used;
static long sum;

static void *producer(void *arg)
{
    for (int i = 1; i <= EACH; i++) {
        pthread_mutex_lock(&m);
        while (used == CAPACITY)
            pthread_cond_wait(&not_full, &m);
        slot[(first + used++) % CAPACITY] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < EACH; i++) {
        pthread_mutex_lock(&m);
        while (used == 0)
            pthread_cond_wait(&not_empty, &m);
        sum += slot[first];
        first = (first + 1) % CAPACITY;
        used--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i < 2 ? consumer : producer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(used == 0 && sum == 2 * (1 + 2 + 3 + 4));
    return 0;
}
