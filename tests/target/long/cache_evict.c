/* An entry is evicted while a reader still looks at it, once the cache is full
 * cause: the pointer that a look-up returned is used after the lock was given up
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 20000 look-ups of each of two readers
 */
#include <pthread.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 20000
#endif

enum { SLOTS = 32 };
struct entry {
    long key, uses;
};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry *slot[SLOTS];

static struct entry *find(long key)
{
    pthread_rwlock_rdlock(&lock);
    struct entry *e = slot[key % SLOTS];
    pthread_rwlock_unlock(&lock);
    return e;
}

static void *reader(void *arg)
{
    long sum = 0;
    for (long i = 0; i < WARM; i++)
        sum += find(i) != NULL;
    struct entry *e = find(7);
    if (e)
        sum += e->key; /* BUG */
    return (void *)sum;
}

static void evict(long key)
{
    pthread_rwlock_wrlock(&lock);
    struct entry *old = slot[key % SLOTS];
    slot[key % SLOTS] = NULL;
    pthread_rwlock_unlock(&lock);
    free(old);
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < SLOTS; i++) {
        slot[i] = calloc(1, sizeof **slot);
        slot[i]->key = i;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    for (long i = 0; i < WARM; i++)
        find(i);
    evict(7);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
