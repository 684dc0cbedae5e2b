/* A batch is closed by a waiter that was woken for another one, seven times in a row
 * cause:    one condition for two predicates, and "if" where "while" is needed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads, a mutex and a condition; each early batch needs the other producer than the one
 *           before, and a waiter that has come to wait by then; a full one sets the chain back
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef DEPTH
#define DEPTH 7 /* batches too early */
#endif
enum { FULL = 3, BATCHES = 12, ITEMS = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items, by, early, over, is_wrong;

static void *producer(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        items++;
        by = me;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    over++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *closing(void *arg)
{
    int last = 0;
    for (int i = 0; i < BATCHES; i++) {
        pthread_mutex_lock(&lock);
        bool has_waited = false;
        if (items < FULL && over < 2) {
            pthread_cond_wait(&changed, &lock);
            has_waited = true;
        }
        if (has_waited && items == 1 && by != last) {
            if (++early == DEPTH)
                is_wrong = 1;
        } else {
            early = 0;
        }
        last = by;
        items = 0;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, producer, (void *)1L);
    pthread_create(&t[1], NULL, producer, (void *)2L);
    pthread_create(&t[2], NULL, closing, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_wrong);
    return 0;
}
