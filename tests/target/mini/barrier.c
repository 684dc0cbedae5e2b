/* Both see each other's cell after the barrier; who writes last is open
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   2
 * finals:   2 1 | 2 2
 */
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static volatile int cell_a, cell_b, sum, last;

static void *anna(void *arg)
{
    cell_a = 1;
    pthread_barrier_wait(&barrier);
    sum = cell_a + cell_b;
    last = 1;
    return arg;
}

static void *bert(void *arg)
{
    cell_b = 1;
    pthread_barrier_wait(&barrier);
    last = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, anna, NULL);
    pthread_create(&b, NULL, bert, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", sum, last);
    return 0;
}
