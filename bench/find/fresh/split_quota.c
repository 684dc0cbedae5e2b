/* A quota that is looked at in one critical section and taken in another
 * cause:    atomicity: check and act under the same lock, taken twice
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int left = 5;

static int available(int n)
{
    pthread_mutex_lock(&m);
    int yes = left >= n;
    pthread_mutex_unlock(&m);
    return yes;
}

static void take(int n)
{
    pthread_mutex_lock(&m);
    left -= n;
    assert(left >= 0);
    pthread_mutex_unlock(&m);
}

static void *user(void *arg)
{
    int n = (int)(long)arg;
    for (int i = 0; i < 2; i++)
        if (available(n))
            take(n);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
