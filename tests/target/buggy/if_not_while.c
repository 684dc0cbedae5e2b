/* A consumer that does not look again after waking up
 * cause:    `if` instead of `while` around a condition wait: the item is stolen
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   300 runs
 * strategy: random,pos,pct
 * pair:     A before B fails
 * preemptions: 1
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    if (items == 0) /* A */
        pthread_cond_wait(&filled, &m);
    items--; /* B */
    assert(items >= 0);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t c[2], p;
    pthread_create(&c[0], NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c[1], NULL, consumer, NULL);
    pthread_join(c[0], NULL);
    pthread_join(c[1], NULL);
    pthread_join(p, NULL);
    return 0;
}
