/* A thread notes when it was last seen, and says for how long it was away: the last to write wins
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int clock_now, last_seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *visit(void *arg)
{
    pthread_mutex_lock(&lock);
    int now = ++clock_now, before = last_seen;
    pthread_mutex_unlock(&lock);
    printf("visit %d, last one at %d\n", now, before);
    pthread_mutex_lock(&lock);
    if (last_seen < now)
        last_seen = now;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(visit, visit);
    return last_seen != 2;
}
