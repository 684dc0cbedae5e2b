/* One barrier in a round where two are needed
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t b;
static int cells[2], sums[2];
static void *cell(void *arg)
{
    int me = (int)(long)arg;
    for (int round = 1; round <= 2; round++) {
        cells[me] = round; /* R1 */
        pthread_barrier_wait(&b);
        sums[me] += cells[!me]; /* R2 */
    }
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&t, NULL, cell, (void *)0);
    pthread_create(&u, NULL, cell, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%d %d\n", sums[0], sums[1]);
    return 0;
}
