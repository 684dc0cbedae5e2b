/* A value that is seen and replaced before its writer looks again
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    3(A,B,C,D)
 * expect:   assert
 */
#include <assert.h>
#include <pthread.h>

static volatile int x;

static void *left(void *arg)
{
    x = 1; /* A */
    return (void *)(long)x; /* D */
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

/* Neither a write before A nor one after D does harm, nor one by who has not seen A. */
static void *right(void *arg)
{
    work();
    int seen = x; /* B */
    x = 2; /* C */
    return (void *)(long)seen;
}

int main(void)
{
    pthread_t l, r;
    void *mine, *seen;
    pthread_create(&l, NULL, left, NULL);
    pthread_create(&r, NULL, right, NULL);
    pthread_join(l, &mine);
    pthread_join(r, &seen);
    assert(!((long)seen == 1 && (long)mine == 2));
    return 0;
}
