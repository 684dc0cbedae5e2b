/* Transactions that are numbered in one order and logged in another
 * cause:    two critical sections that belong together
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>

#define MANY 3
static pthread_mutex_t number_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static int next_number, logged[2 * MANY], n_logged;

static void commit(void)
{
    pthread_mutex_lock(&number_lock);
    int mine = ++next_number;
    pthread_mutex_unlock(&number_lock);
    pthread_mutex_lock(&log_lock);
    logged[n_logged++] = mine;
    pthread_mutex_unlock(&log_lock);
}

static void *client(void *arg)
{
    commit();
    commit();
    return arg;
}

int main(void)
{
    pthread_t t[MANY];
    for (int i = 0; i < MANY; i++)
        pthread_create(&t[i], NULL, client, NULL);
    for (int i = 0; i < MANY; i++)
        pthread_join(t[i], NULL);
    for (int i = 1; i < n_logged; i++)
        assert(logged[i] > logged[i - 1]);
    return 0;
}
