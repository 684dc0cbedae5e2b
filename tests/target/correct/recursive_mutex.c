/* A tree walked under a recursive mutex
 * cause:    none: the lock counts, and is free when the outermost call returns
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int visits;

static int depth(int node)
{
    pthread_mutex_lock(&m);
    visits++;
    int d = node >= 4 ? 1 : 1 + depth(2 * node);
    pthread_mutex_unlock(&m);
    return d;
}

static void *walker(void *arg)
{
    int before, after;
    pthread_mutex_lock(&m);
    before = visits;
    assert(depth(1) == 3);
    after = visits;
    pthread_mutex_unlock(&m);
    assert(after == before + 3);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, walker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(visits == 9);
    return 0;
}
