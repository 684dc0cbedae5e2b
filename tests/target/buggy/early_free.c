/* A cache entry that is evicted under its user
 * cause:    early free: a pointer leaves the lock that protects what it points to
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or C before B: munmap is no event, C comes right before it
 * preemptions: 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE 4096
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile char *entry;

static volatile char *lookup(void)
{
    pthread_mutex_lock(&m);
    volatile char *e = entry;
    pthread_mutex_unlock(&m);
    return e;
}

static void *user(void *arg)
{
    volatile char *e = lookup();
    if (e && e[8] == 'x') /* B */
        return arg;
    return NULL;
}

static void *evictor(void *arg)
{
    pthread_mutex_lock(&m);
    volatile char *e = entry;
    entry = NULL;
    e[8] = 0; /* C */
    munmap((void *)e, SIZE); /* A */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t u, v;
    entry = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (entry == MAP_FAILED)
        abort();
    entry[8] = 'x';
    pthread_create(&u, NULL, user, NULL);
    pthread_create(&v, NULL, evictor, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    return 0;
}
