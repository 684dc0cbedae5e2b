/* Thread-specific data given back by its destructor
 * cause:    none: the join comes before the look at the total
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static __thread int calls;
static int total, destroyed;

static void flush(void *arg)
{
    int *mine = arg;
    pthread_mutex_lock(&m);
    total += *mine;
    destroyed++;
    pthread_mutex_unlock(&m);
    free(mine);
}

static void count(int n)
{
    int *mine = pthread_getspecific(key);
    if (!mine) {
        mine = calloc(1, sizeof *mine);
        if (!mine)
            abort();
        pthread_setspecific(key, mine);
    }
    *mine += n;
    calls++;
}

static void *worker(void *arg)
{
    for (int i = 1; i <= 3; i++)
        count(i);
    assert(calls == 3);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_key_create(&key, flush);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_key_delete(key);
    assert(total == 18 && destroyed == 3 && calls == 0);
    return 0;
}
