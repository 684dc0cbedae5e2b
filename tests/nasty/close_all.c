/* Closes every descriptor, then goes on with its threads.
 * expect: clean */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    sum++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int fd = 0; fd < 4096; fd++)
        close(fd);
    close_range(0, ~0u, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum != 2;
}
