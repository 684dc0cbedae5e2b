/* A reader that reads again while a writer queues
 * cause:    recursive read lock of a rwlock that prefers writers
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int value;

static int get(void)
{
    pthread_rwlock_rdlock(&rw); /* B */
    int v = value;
    pthread_rwlock_unlock(&rw);
    return v;
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    long sum = value + get();
    pthread_rwlock_unlock(&rw);
    return (void *)sum;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&rw); /* A */
    value++;
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
