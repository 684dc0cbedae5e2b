/* A report is written from a table that was being swapped for the fifth time
 * cause:    writer and reader use the same half of a double buffer in one particular pass each
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads in loops of 24 passes; passes 17, 5 and 11 have to meet, then 22, 9 and 15
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PASSES = 24 };
static atomic_int writing, swapping, swapped_at, torn, is_late;

static void *writer(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        atomic_store(&writing, i);
        if (i == 17 && swapping == 5)
            swapped_at = 17; /* the half that was just given away */
        atomic_store(&writing, 0);
    }
    return arg;
}

static void *swapper(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        atomic_store(&swapping, i);
        atomic_store(&swapping, 0);
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        int at = atomic_load(&swapped_at);
        if (i == 11 && at == 17 && writing == 18 && swapping == 6)
            is_late = 1;
        if (i == 15 && is_late && writing == 22 && swapping == 9)
            torn = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, swapper, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!torn);
    return 0;
}
