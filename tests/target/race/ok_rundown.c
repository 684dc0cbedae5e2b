/* Rundown protection: users count themselves in by two unless the lowest bit says "closing"; the last one
 * out, or the owner, posts; then the owner frees
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static atomic_int users;
static sem_t empty;
static struct device {
    atomic_int uses;
    int setting;
} *device;

static int enter(void)
{
    int n = atomic_load_explicit(&users, memory_order_relaxed);
    while (!(n & 1))
        if (atomic_compare_exchange_weak_explicit(&users, &n, n + 2, memory_order_acquire, memory_order_relaxed))
            return 1;
    return 0;
}

static void leave(void)
{
    if (atomic_fetch_sub_explicit(&users, 2, memory_order_release) == 3)
        sem_post(&empty);
}

static void *use(void *arg)
{
    for (int i = 0; i < 2 && enter(); i++) {
        atomic_fetch_add_explicit(&device->uses, device->setting, memory_order_relaxed);
        leave();
    }
    return arg;
}

static void *close_it(void *arg)
{
    if (atomic_fetch_or_explicit(&users, 1, memory_order_acquire) != 0)
        sem_wait(&empty);
    atomic_thread_fence(memory_order_acquire);
    device->setting = 0;
    free(device);
    device = NULL;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    sem_init(&empty, 0, 0);
    device = malloc(sizeof *device);
    device->setting = 1;
    atomic_init(&device->uses, 0);
    pthread_create(&t[0], NULL, use, NULL);
    pthread_create(&t[1], NULL, use, NULL);
    pthread_create(&t[2], NULL, close_it, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return device != NULL;
}
