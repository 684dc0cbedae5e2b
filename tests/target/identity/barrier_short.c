/* two barriers that a thread may miss
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

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

static pthread_barrier_t begin, end;

static void *first(void *unused)
{
    if (changed(&a))
        return NULL; /* bug 1 */
    pthread_barrier_wait(&begin);
    if (changed(&b))
        return NULL; /* bug 2 */
    pthread_barrier_wait(&end);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&begin, NULL, 2);
    pthread_barrier_init(&end, NULL, 2);
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, first, NULL);
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
