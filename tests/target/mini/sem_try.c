/* One permit, tried for by three, never given back
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   1 | 2 | 3
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t permit;
static int winner;

static void *first(void *arg)
{
    if (sem_trywait(&permit) == 0)
        winner = 1;
    return arg;
}

static void *second(void *arg)
{
    if (sem_trywait(&permit) == 0)
        winner = 2;
    return arg;
}

static void *third(void *arg)
{
    if (sem_trywait(&permit) == 0)
        winner = 3;
    return arg;
}

int main(void)
{
    pthread_t f, s, t;
    sem_init(&permit, 0, 1);
    pthread_create(&f, NULL, first, NULL);
    pthread_create(&s, NULL, second, NULL);
    pthread_create(&t, NULL, third, NULL);
    pthread_join(f, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    printf("%d\n", winner);
    return 0;
}
