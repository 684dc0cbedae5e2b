/* two flags that nobody sets
 * build:    gcc -g -O1 -fsanitize=thread
 * options:  --steps 20000
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

static atomic_int is_ready, is_done;

static void *first(void *unused)
{
    if (!changed(&a)) /* bug 1 */
        atomic_store(&is_ready, 1);
    if (!changed(&b)) /* bug 2 */
        atomic_store(&is_done, 1);
    return NULL;
}

static void await_ready(void)
{
    while (!atomic_load(&is_ready))
        sched_yield();
}

static void await_done(void)
{
    while (!atomic_load(&is_done))
        sched_yield();
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, first, NULL);
    await_ready();
    await_done();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
