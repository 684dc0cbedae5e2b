/* Two waiters, one signal handed on: either is first
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   2
 * finals:   12 | 21
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static int x;

static void *anna(void *arg)
{
    pthread_mutex_lock(&m);
    sem_post(&waiting);
    pthread_cond_wait(&c, &m);
    x = 10 * x + 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *bert(void *arg)
{
    pthread_mutex_lock(&m);
    sem_post(&waiting);
    pthread_cond_wait(&c, &m);
    x = 10 * x + 2;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&waiting, 0, 0);
    pthread_create(&a, NULL, anna, NULL);
    pthread_create(&b, NULL, bert, NULL);
    sem_wait(&waiting);
    sem_wait(&waiting);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", x);
    return 0;
}
