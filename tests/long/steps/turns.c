/* Three threads take turns by one condition and broadcast: at least 5 steps a round, and a
 * switch that no strategy can avoid; a fourth thread sleeps now and then beside them
 * args:     rounds
 * races:    none
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn, rounds;
static int is_over;

static void *play(void *arg)
{
    long me = (long)arg;
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        while (turn % THREADS != me)
            pthread_cond_wait(&changed, &lock);
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *watch(void *arg)
{
    int over = 0;
    while (!over) {
        usleep(100000);
        pthread_mutex_lock(&lock);
        over = is_over;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS], w;
    rounds = argc > 1 ? atol(argv[1]) : 1000;
    pthread_create(&w, 0, watch, 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, play, (void *)i);
    for (long i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(w, 0);
    return turn != THREADS * rounds;
}
