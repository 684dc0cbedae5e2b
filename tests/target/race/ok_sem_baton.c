/* A binary semaphore is a lock that one thread takes and another gives back
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <semaphore.h>
#include <stdlib.h>

#include "threads.h"

static sem_t turn[3], done;
static int board[4], moves;

static void *player(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        sem_wait(&turn[me]);
        board[moves++ & 3] = me;
        sem_post(&turn[(me + 1) % 3]);
    }
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++)
        sem_init(&turn[i], 0, i == 0);
    sem_init(&done, 0, 0);
    for (long i = 0; i < 3; i++) {
        pthread_create(&t, NULL, player, (void *)i);
        pthread_detach(t);
    }
    for (int i = 0; i < 3; i++)
        sem_wait(&done);
    return moves != 6 || board[0] != 1;
}
