/* The sleeping barber
 * cause:    none: customers count themselves under a lock; semaphores carry the wake-ups
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define CUSTOMERS 4
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, chair;
static int waiting, served, left, is_closed;

static void *customer(void *arg)
{
    pthread_mutex_lock(&lock);
    if (waiting == 2) {
        left++;
        pthread_mutex_unlock(&lock);
        return arg;
    }
    waiting++;
    pthread_mutex_unlock(&lock);
    sem_post(&ready);
    sem_wait(&chair);
    return arg;
}

static void *barber(void *arg)
{
    for (;;) {
        sem_wait(&ready);
        pthread_mutex_lock(&lock);
        int is_end = is_closed && !waiting;
        if (!is_end) {
            waiting--;
            served++;
        }
        pthread_mutex_unlock(&lock);
        if (is_end)
            return arg;
        sem_post(&chair);
    }
}

int main(void)
{
    pthread_t b, t[CUSTOMERS];
    sem_init(&ready, 0, 0);
    sem_init(&chair, 0, 0);
    pthread_create(&b, NULL, barber, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&t[i], NULL, customer, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    is_closed = 1;
    pthread_mutex_unlock(&lock);
    sem_post(&ready);
    pthread_join(b, NULL);
    assert(served + left == CUSTOMERS && waiting == 0);
    return 0;
}
