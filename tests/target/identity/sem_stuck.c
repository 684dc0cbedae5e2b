/* two semaphores that stay at zero
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <semaphore.h>

static atomic_int a, b;

static int changed(atomic_int *x)
{
    int before = atomic_load(x);
    return before != atomic_load(x);
}

static void *writer(void *unused)
{
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    return NULL;
}

static sem_t full, empty;

static void *first(void *unused)
{
    if (!changed(&a)) /* bug 1 */
        sem_post(&full);
    if (!changed(&b)) /* bug 2 */
        sem_post(&empty);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 0);
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, first, NULL);
    sem_wait(&full);
    sem_wait(&empty);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
