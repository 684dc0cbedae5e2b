/* Three threads wait for one another in a ring, once, after long service
 * cause: the last round takes the locks of two shards in the order of the threads
 * build: gcc -g -O1 -fsanitize=thread
 * expect: deadlock
 * warm: 8000 rounds of each of three threads
 */
#include <pthread.h>
#ifndef WARM
#define WARM 8000
#endif

enum { SHARDS = 3 };
static pthread_mutex_t lock[SHARDS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
static long shard[SHARDS];

static void move_between(long from, long to)
{
    pthread_mutex_lock(&lock[from]);
    pthread_mutex_lock(&lock[to]);
    shard[from]--;
    shard[to]++;
    pthread_mutex_unlock(&lock[to]);
    pthread_mutex_unlock(&lock[from]);
}

static void *serve(void *arg)
{
    long me = (long)arg;
    for (long i = 0; i < WARM; i++) {
        pthread_mutex_lock(&lock[me]);
        shard[me]++;
        pthread_mutex_unlock(&lock[me]);
    }
    move_between(me, (me + 1) % SHARDS); /* BUG */
    return NULL;
}

int main(void)
{
    pthread_t t[SHARDS];
    for (long i = 0; i < SHARDS; i++)
        pthread_create(&t[i], NULL, serve, (void *)i);
    for (int i = 0; i < SHARDS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
