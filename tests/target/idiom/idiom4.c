/* A question that is answered before its asker looks for the first time
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    4(A,B,C,D)
 * expect:   assert
 */
#include <assert.h>
#include <pthread.h>

static volatile long x, y;

static void *left(void *arg)
{
    x = 1; /* A */
    return (void *)y; /* D */
}

/* its own work, step by step: the order that fails is far away */
static void work(void)
{
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
}

static void *right(void *arg)
{
    work();
    long seen = x; /* B */
    y = 1; /* C */
    return (void *)seen;
}

int main(void)
{
    pthread_t l, r;
    void *answer, *seen;
    pthread_create(&l, NULL, left, NULL);
    pthread_create(&r, NULL, right, NULL);
    pthread_join(l, &answer);
    pthread_join(r, &seen);
    assert(!(answer && seen));
    return 0;
}
