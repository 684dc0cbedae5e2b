/* Counters of their own for each thread, added up while the threads still run
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static struct {
    _Alignas(64) long n;
} count[2];

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        count[(long)arg].n++; /* R1 */
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    long sum = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        sum += count[i].n; /* R2 */
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
