/* Two readers and a writer: each reader sees both or none
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   4
 * finals:   0 0 | 0 2 | 2 0 | 2 2
 */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int x, y, r, s;

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&rw);
    x = 1;
    y = 1;
    pthread_rwlock_unlock(&rw);
    return arg;
}

static void *anna(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    r = x + y;
    pthread_rwlock_unlock(&rw);
    return arg;
}

static void *bert(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    s = x + y;
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, anna, NULL);
    pthread_create(&t3, NULL, bert, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    printf("%d %d\n", r, s);
    return 0;
}
