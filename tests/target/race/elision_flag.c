/* The lock is left out while the program believes it has one thread
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int threads = 1;
static volatile int total;
static void add(int n)
{
    int many = atomic_load(&threads) > 1;
    if (many)
        pthread_mutex_lock(&lock);
    total += n; /* R1 */
    if (many)
        pthread_mutex_unlock(&lock);
}
static void *worker(void *arg)
{
    atomic_fetch_add(&threads, 1);
    add(1);
    add(2);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    add(10);
    add(20);
    pthread_join(t, NULL);
    printf("total %d\n", total);
    return 0;
}
