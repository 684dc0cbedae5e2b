/* Three threads, each with the lock that the next one wants
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    L1-L1
 * class:    fails
 * finding:  blocked
 */
#include "threads.h"
#include <unistd.h>

static pthread_mutex_t fork_of[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER};
static int meals[3];

static void *eat(void *arg)
{
    long i = (long)arg;
    usleep((unsigned)i * 100000);
    pthread_mutex_lock(&fork_of[i]);
    pthread_mutex_lock(&fork_of[(i + 1) % 3]); /* L1 */
    meals[i]++;
    pthread_mutex_unlock(&fork_of[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_of[i]);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, eat, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", meals[0] + meals[1] + meals[2]);
    return 0;
}
