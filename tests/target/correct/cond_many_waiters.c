/* One condition for several predicates
 * cause:    none: broadcast wakes all, each looks at its own predicate
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, seen;

static void *waiter(void *arg)
{
    int want = (int)(long)arg;
    pthread_mutex_lock(&lock);
    while (value < want)
        pthread_cond_wait(&changed, &lock);
    seen++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, waiter, (void *)i);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        value++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(seen == 4);
    return 0;
}
