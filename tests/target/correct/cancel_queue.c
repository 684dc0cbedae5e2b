/* A consumer is cancelled while it waits
 * cause:    none: the clean-up handler gives the mutex back that the wait took again
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void give_back(void *arg) { pthread_mutex_unlock(arg); }

static void *consumer(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_cleanup_push(give_back, &lock);
        while (!items)
            pthread_cond_wait(&filled, &lock);
        items--;
        taken++;
        pthread_cleanup_pop(1);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    void *end;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_cancel(t[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], &end);
        assert(end == PTHREAD_CANCELED);
    }
    pthread_mutex_lock(&lock);
    assert(items + taken == 3);
    pthread_mutex_unlock(&lock);
    return 0;
}
