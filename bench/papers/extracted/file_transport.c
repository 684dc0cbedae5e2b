/* Deadlock: two locks, taken in one order to suspend and in the other to finish.
 * build: gcc -g -O1 -fsanitize=thread
 */
#include "work.h"

static pthread_mutex_t transport = PTHREAD_MUTEX_INITIALIZER, service = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void *suspend(void *arg)
{
    pthread_mutex_lock(&transport);
    pthread_mutex_lock(&service);
    state = 1;
    pthread_mutex_unlock(&service);
    pthread_mutex_unlock(&transport);
    work(WORK);
    return arg;
}

static void *finish(void *arg)
{
    pthread_mutex_lock(&service);
    pthread_mutex_lock(&transport);
    state = 2;
    pthread_mutex_unlock(&transport);
    pthread_mutex_unlock(&service);
    work(WORK);
    return arg;
}

int main(void)
{
    pthread_t a = start(suspend), b = start(finish);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
