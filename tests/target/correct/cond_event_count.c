/* An event count: waiters look, note the count, look again, wait
 * cause:    none: a signal between the second look and the wait changes the count
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned count;
static _Atomic int items;

static unsigned prepare(void)
{
    pthread_mutex_lock(&lock);
    unsigned now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

static void await_after(unsigned seen)
{
    pthread_mutex_lock(&lock);
    while (count == seen)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    int n = atomic_load(&items);
    while (n > 0)
        if (atomic_compare_exchange_weak(&items, &n, n - 1))
            return 1;
    return 0;
}

static void *consumer(void *arg)
{
    for (int got = 0; got < 2;) {
        if (take()) {
            got++;
            continue;
        }
        unsigned seen = prepare();
        if (take())
            got++;
        else
            await_after(seen);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, consumer, NULL);
    for (int i = 0; i < 4; i++) {
        atomic_fetch_add(&items, 1);
        pthread_mutex_lock(&lock);
        count++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(items == 0);
    return 0;
}
