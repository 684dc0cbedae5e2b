/* A table that is inconsistent once in hundreds of insertions
 * cause:    rare window: the lock is given up while the table grows
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>

#define PASSES 300
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int used, capacity = 200;

static void *inserter(void *arg)
{
    for (int i = 0; i < PASSES; i++) {
        pthread_mutex_lock(&m);
        if (++used > capacity) {
            pthread_mutex_unlock(&m); /* to allocate */
            pthread_mutex_lock(&m);
            capacity *= 2; /* B */
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < PASSES; i++) {
        pthread_mutex_lock(&m);
        assert(used <= capacity); /* A */
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t r, i;
    pthread_create(&i, NULL, inserter, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(i, NULL);
    pthread_join(r, NULL);
    return 0;
}
