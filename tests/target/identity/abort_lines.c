/* abort() in two lines of one function
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

static void *first(void *unused)
{
    int x = changed(&a);
    if (x == 1)
        abort(); /* bug 1: a */
    int y = changed(&b);
    if (y == 1)
        abort(); /* bug 2: b */
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, first, NULL);
    pthread_create(&t[2], NULL, first, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}
