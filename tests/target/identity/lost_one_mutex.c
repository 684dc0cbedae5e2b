/* two lost wake-ups under one mutex
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     600
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static atomic_int is_ready, is_done;

static void *wait_ready(void *unused)
{
    pthread_mutex_lock(&m);
    while (!atomic_load(&is_ready))
        pthread_cond_wait(&ready, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *wait_done(void *unused)
{
    pthread_mutex_lock(&m);
    while (!atomic_load(&is_done))
        pthread_cond_wait(&done, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *signaller(void *unused)
{
    atomic_store(&is_ready, 1);
    pthread_cond_signal(&ready); /* bug 1 */
    atomic_store(&is_done, 1);
    pthread_cond_signal(&done); /* bug 2 */
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, wait_ready, NULL);
    pthread_create(&t[1], NULL, wait_done, NULL);
    pthread_create(&t[2], NULL, signaller, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
