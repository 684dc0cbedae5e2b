/* Double-checked locking whose flag goes up before the table is filled
 * cause:    double-checked locking with plain accesses, flag before data
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready;
static volatile int square[4];

static int lookup(int i)
{
    if (!ready) {
        pthread_mutex_lock(&m);
        if (!ready) {
            ready = 1;
            for (int k = 1; k < 4; k++)
                square[k] = k * k; /* B */
        }
        pthread_mutex_unlock(&m);
    }
    return square[i]; /* A */
}

static void *user(void *arg)
{
    assert(lookup(3) == 9);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
