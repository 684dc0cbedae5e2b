/* a crash inside memcpy, called from two functions
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char room[64] = "text";
static volatile size_t size = 32;

static void *first(void *unused)
{
    char *volatile to = changed(&a) ? NULL : room + 1;
    if (!to)
        memcpy(to, room, size); /* bug 1 */
    return NULL;
}

static void *second(void *unused)
{
    char *volatile to = changed(&b) ? NULL : room + 1;
    if (!to)
        memcpy(to, room, size); /* bug 2 */
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
