/* The dining savages
 * cause:    none: one of them wakes the cook when the pot is empty, and waits
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t empty, full;
static int servings, eaten, cooked, is_over;

static void *savage(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        if (!servings) {
            sem_post(&empty);
            sem_wait(&full);
        }
        servings--;
        eaten++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *cook(void *arg)
{
    for (;;) {
        sem_wait(&empty);
        if (is_over)
            return arg;
        servings = 2; /* the savage that asked holds the lock */
        cooked += 2;
        sem_post(&full);
    }
}

int main(void)
{
    pthread_t c, t[2];
    sem_init(&empty, 0, 0);
    sem_init(&full, 0, 0);
    pthread_create(&c, NULL, cook, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, savage, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    is_over = 1;
    sem_post(&empty);
    pthread_join(c, NULL);
    assert(eaten == 6 && cooked == eaten + servings);
    return 0;
}
