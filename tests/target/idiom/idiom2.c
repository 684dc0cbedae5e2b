/* Two reads that must agree
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    2(A,B,C)
 * expect:   assert
 */
#include <assert.h>
#include <pthread.h>

static volatile int x;

static void *left(void *arg)
{
    int before = x; /* A */
    int after = x; /* C */
    return (void *)(long)(before == after);
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
    x = 1; /* B */
    return arg;
}

int main(void)
{
    pthread_t l, r;
    void *same;
    pthread_create(&l, NULL, left, NULL);
    pthread_create(&r, NULL, right, NULL);
    pthread_join(l, &same);
    pthread_join(r, NULL);
    assert(same);
    return 0;
}
