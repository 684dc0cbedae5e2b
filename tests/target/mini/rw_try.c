/* A read lock tried once against a writer and another reader
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   -1 | 0 | 1
 */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x, r;

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&rw);
    x = 1;
    pthread_rwlock_unlock(&rw);
    return arg;
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    return arg;
}

static void *visitor(void *arg)
{
    if (pthread_rwlock_tryrdlock(&rw)) {
        r = -1;
    } else {
        r = x;
        pthread_rwlock_unlock(&rw);
    }
    return arg;
}

int main(void)
{
    pthread_t w, r1, v;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r1, NULL, reader, NULL);
    pthread_create(&v, NULL, visitor, NULL);
    pthread_join(w, NULL);
    pthread_join(r1, NULL);
    pthread_join(v, NULL);
    printf("%d\n", r);
    return 0;
}
