/* A thread cancelled while it holds locks: the cleanup handler unlocks
 * text:   handlers run in the cancelled thread, which still owns its mutexes
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int in_use;

static void unlock(void *arg)
{
    in_use = 0;
    OK(pthread_mutex_unlock(&m));
}

static void *user(void *arg)
{
    OK(pthread_mutex_lock(&m));
    pthread_cleanup_push(unlock, NULL);
    IS(in_use, 0);
    in_use = 1;
    usleep(1000);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    pthread_t a = start(user, NULL), b = start(user, NULL);
    OK(pthread_cancel(a));
    void *v = join(a);
    TRUE(v == NULL || v == PTHREAD_CANCELED);
    IS((long)join(b), 0);
    OK(pthread_mutex_lock(&m));
    IS(in_use, 0);
    OK(pthread_mutex_unlock(&m));
    return 0;
}
