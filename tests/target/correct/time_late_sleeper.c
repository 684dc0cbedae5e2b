/* A sleep of a millisecond beside one of a minute
 * cause:    none: only a thread that is a minute late could be overtaken
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int is_set;

static void *soon(void *arg)
{
    usleep(1000);
    pthread_mutex_lock(&m);
    is_set = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *late(void *arg)
{
    sleep(60);
    pthread_mutex_lock(&m);
    if (!is_set)
        abort();
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, soon, NULL);
    pthread_create(&b, NULL, late, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
