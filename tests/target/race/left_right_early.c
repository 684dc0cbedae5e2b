/* Left-right: the writer turns to the second copy before the readers left it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static int copies[2];
static atomic_int side, inside[2];
static void *reader(void *arg)
{
    int s = atomic_load(&side);
    atomic_fetch_add(&inside[s], 1);
    int v = copies[s]; /* R1 */
    atomic_fetch_sub(&inside[s], 1);
    printf("%s\n", v ? "new" : "old");
    return arg;
}
static void *writer(void *arg)
{
    int s = atomic_load(&side);
    copies[!s] = 1;
    atomic_store(&side, !s);
    while (atomic_load(&inside[s]))
        ;
    copies[s] = 1; /* R2 */
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
