/* A cache with many readers and a few writers
 * cause:    none: reads share the lock, writes own it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int value[4], is_known[4], computed;

static int square(int n)
{
    pthread_rwlock_rdlock(&rw);
    int known = is_known[n], v = value[n];
    pthread_rwlock_unlock(&rw);
    if (known)
        return v;
    pthread_rwlock_wrlock(&rw);
    if (!is_known[n]) { /* somebody else may have been here */
        value[n] = n * n;
        is_known[n] = 1;
        computed++;
    }
    v = value[n];
    pthread_rwlock_unlock(&rw);
    return v;
}

static void *user(void *arg)
{
    for (int i = 0; i < 4; i++)
        assert(square(i) == i * i);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(computed == 4);
    return 0;
}
