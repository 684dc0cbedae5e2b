/* A statistic is written outside the section of the lock that follows: the order of sections hides it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int last_size, table, out;

static void *writer(void *arg)
{
    last_size = 4; /* R1 */
    pthread_rwlock_wrlock(&l);
    table++;
    pthread_rwlock_unlock(&l);
    pthread_mutex_lock(&log_lock);
    pthread_mutex_unlock(&log_lock);
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&log_lock);
    pthread_mutex_unlock(&log_lock);
    pthread_rwlock_rdlock(&l);
    int t = table;
    pthread_rwlock_unlock(&l);
    out = last_size + t; /* R2 */
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    for (volatile int i = 0; i < 1000; i++)
        ;
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%d\n", out > 0);
    return 0;
}
