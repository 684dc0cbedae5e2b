/* Two threads that raise a flag and both see the other's
 * build:    gcc -g -O1 -fsanitize=thread
 * iroot:    5(A,B,C,D)
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
    y = 1; /* C */
    return (void *)x; /* B */
}

int main(void)
{
    pthread_t l, r;
    void *at_left, *at_right;
    pthread_create(&l, NULL, left, NULL);
    pthread_create(&r, NULL, right, NULL);
    pthread_join(l, &at_left);
    pthread_join(r, &at_right);
    assert(!(at_left && at_right));
    return 0;
}
