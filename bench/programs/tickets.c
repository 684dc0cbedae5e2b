/* tickets.c [NUMBERS [THREADS [WORK]]]: kernel for overhead: hot loops of atomic operations. THREADS (2)
 * draw NUMBERS (2000000) tickets from one counter, look whether they are to stop, and count each in a
 * histogram, by WORK (8) rounds of arithmetic; 0: there is nothing but atomic operations. They begin
 * together, waiting by a loop. Fails if a ticket is lost. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 256, MAX_THREADS = 16 };

static long numbers = 2000000;
static int threads = 2, work = 8;
static atomic_long next;
static atomic_int is_stopped, ready;
static atomic_long cell[CELLS];

static void count(long ticket)
{
    unsigned h = (unsigned)ticket * 2654435761u;
    for (int i = 0; i < work; i++)
        h = (h ^ h >> 15) * 2246822519u;
    atomic_fetch_add_explicit(&cell[h >> 24], 1, memory_order_relaxed);
}

static void *draw(void *arg)
{
    atomic_fetch_add(&ready, 1);
    while (atomic_load_explicit(&ready, memory_order_acquire) < threads)
        ;
    while (!atomic_load_explicit(&is_stopped, memory_order_acquire)) {
        long ticket = atomic_fetch_add(&next, 1);
        if (ticket >= numbers) {
            atomic_store(&is_stopped, 1);
            break;
        }
        count(ticket);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t id[MAX_THREADS];
    long sum = 0;
    if (argc > 1)
        numbers = atol(argv[1]);
    if (argc > 2)
        threads = atoi(argv[2]);
    if (argc > 3)
        work = atoi(argv[3]);
    if (numbers < 1 || threads < 1 || threads > MAX_THREADS)
        return 64;
    for (int i = 0; i < threads; i++)
        pthread_create(&id[i], NULL, draw, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    for (int i = 0; i < CELLS; i++)
        sum += cell[i];
    printf("%ld tickets\n", sum);
    return sum != numbers;
}
