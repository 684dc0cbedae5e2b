/* Two threads that take turns
 * cause:    none: each semaphore hands the ball, and the data, over
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define ROUNDS 5
static sem_t ping, pong;
static int ball;

static void *player(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&ping);
        assert(ball == 2 * i + 1);
        ball++;
        sem_post(&pong);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&t, NULL, player, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        ball++;
        sem_post(&ping);
        sem_wait(&pong);
        assert(ball == 2 * i + 2);
    }
    pthread_join(t, NULL);
    sem_destroy(&ping);
    sem_destroy(&pong);
    return 0;
}
