/* An index is used before it is built, behind fifty million plain accesses
 * cause: the flag that it is there is set first
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 12500000 additions to a table of each thread
 */
#include <assert.h>
#include <pthread.h>
#ifndef WARM
#define WARM 12500000
#endif

enum { CELLS = 1024 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long table[2][CELLS];
static volatile int is_built;
static volatile long index_of;

static long find(void)
{
    if (!is_built) {
        pthread_mutex_lock(&lock);
        if (!is_built) {
            is_built = 1; /* BUG */
            index_of = 42;
        }
        pthread_mutex_unlock(&lock);
    }
    return index_of;
}

static void *work(void *arg)
{
    long *own = arg;
    for (long i = 0; i < WARM; i++)
        own[i % CELLS] += i;
    assert(find() == 42);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, table[1]);
    work(table[0]);
    pthread_join(t, NULL);
    return 0;
}
