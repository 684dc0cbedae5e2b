/* Two threads count under a lock: 4 steps a round of both
 * args:     rounds
 * races:    none
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, rounds;

static void *count(void *arg)
{
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter != 2 * rounds;
}
