/* Two threads take turns many times: about 10 steps a round of both, and a switch each that no
 * strategy can avoid. In the end the first one fails, whatever the order was
 * args:     rounds
 * races:    none
 * finds:    assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn, rounds;

static void *play(void *arg)
{
    long me = (long)arg;
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != me)
            pthread_cond_wait(&changed, &lock);
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    pthread_create(&a, 0, play, (void *)0);
    pthread_create(&b, 0, play, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(turn != 2 * rounds);
    return 0;
}
