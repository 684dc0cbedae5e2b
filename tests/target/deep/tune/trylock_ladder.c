/* Somebody climbs a ladder of locks on which each rung was busy, and falls
 * cause:    a busy lock is taken as a sign that somebody is ahead and holds the ladder
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   of 3,000 runs at DEPTH 1, 2, 3, 4: random 369, 72, 7, 2 fail, surw 758, 144, 5, 0;
 *           one more divides by 5 at least, so 1 in 190,000 at 7
 * shape:    two threads; seven trylocks in turn have to fail
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 7
#endif
enum { RUNGS = DEPTH + 1 };
static pthread_mutex_t rung[RUNGS];
static int height;

/* If a rung is free nobody is ahead: stay below. */
static int is_busy(int i)
{
    if (pthread_mutex_trylock(&rung[i]))
        return 1;
    pthread_mutex_unlock(&rung[i]);
    return 0;
}

static void *climber(void *arg)
{
    while (height < RUNGS - 1 && is_busy(height + 1)) {
        height++;
        pthread_mutex_lock(&rung[height - 1]);
        pthread_mutex_unlock(&rung[height - 1]);
    }
    return arg;
}

/* Holds one rung after the other for a moment. */
static void *painter(void *arg)
{
    for (int i = 1; i < RUNGS; i++) {
        pthread_mutex_lock(&rung[i]);
        pthread_mutex_unlock(&rung[i]);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < RUNGS; i++)
        pthread_mutex_init(&rung[i], NULL);
    pthread_create(&t[0], NULL, climber, NULL);
    pthread_create(&t[1], NULL, painter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(height < RUNGS - 1);
    return 0;
}
