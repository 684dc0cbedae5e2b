/* The thread that pthread_barrier_wait() elects changes what all others read in the next phase
 * build:    clang -shared-libsan -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>

#include "threads.h"

static pthread_barrier_t b;
static int grid[2][3], now;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 3; i++) {
        grid[!now][me] = grid[now][(me + 1) % 3] + 1;
        if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
            now = !now;
        pthread_barrier_wait(&b);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&b, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&b);
    return grid[now][0] != 3;
}
