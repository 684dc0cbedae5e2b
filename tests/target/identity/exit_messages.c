/* exit(1) in one function, two messages with numbers
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

static void fail(const char *what, int number)
{
    fprintf(stderr, "error %d: %s at %p\n", number, what, (void *)&number);
    exit(1);
}

static void *first(void *unused)
{
    if (changed(&a))
        fail("queue is empty", atomic_load(&b)); /* bug 1 */
    return NULL;
}

static void *second(void *unused)
{
    if (changed(&b))
        fail("queue is full", atomic_load(&a)); /* bug 2 */
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, first, NULL);
    pthread_create(&t[2], NULL, second, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
