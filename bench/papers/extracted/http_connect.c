/* Order: a connection is handed to the pool and used once more; the pool frees it.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct connection { atomic_int is_closed; };
static struct connection one;
static struct connection *pool;

static void *transact(void *arg)
{
    pthread_mutex_lock(&lock);
    pool = &one;
    pthread_mutex_unlock(&lock);
    assert(!one.is_closed);
    work(WORK);
    return arg;
}

static void *prune(void *arg)
{
    pthread_mutex_lock(&lock);
    if (pool)
        pool->is_closed = 1;
    pthread_mutex_unlock(&lock);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(transact), b = start(prune);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
