/* A reader-biased lock: readers put themselves into a table and look at the bias again; a writer takes the
 * lock, ends the bias and waits until the table is empty (BRAVO)
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static pthread_rwlock_t under = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int bias = 1, table[4];
static int a, b;


static void read_both(int me)
{
    int expected = 0, slow = 1;
    if (atomic_load(&bias) && atomic_compare_exchange_strong(&table[me], &expected, 1)) {
        if (atomic_load(&bias))
            slow = 0;
        else
            atomic_store(&table[me], 0);
    }
    if (slow) {
        pthread_rwlock_rdlock(&under);
        atomic_store(&bias, 1);
    }
    if (a != b)
        abort();
    if (slow)
        pthread_rwlock_unlock(&under);
    else
        atomic_store_explicit(&table[me], 0, memory_order_release);
}

static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++)
        read_both((int)(long)arg);
    return NULL;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_wrlock(&under);
        atomic_store(&bias, 0);
        for (int k = 0; k < 4; k++)
            while (atomic_load(&table[k]))
                sched_yield();
        a++;
        b++;
        pthread_rwlock_unlock(&under);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? reader : writer, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return a != 2 || b != 2;
}
