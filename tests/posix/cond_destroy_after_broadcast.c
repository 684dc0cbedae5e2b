/* A condition may be destroyed right after the broadcast that wakes all waiters
 * text:   destroy is safe once no thread is blocked on it, also directly after a
 *         broadcast to the last waiters
 * expect: exit 0
 */
#include "check.h"

struct element {
    pthread_cond_t c;
    int done;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct element *e;

static void *waiter(void *arg)
{
    struct element *mine = arg;
    OK(pthread_mutex_lock(&m));
    while (!mine->done)
        OK(pthread_cond_wait(&mine->c, &m));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    e = calloc(1, sizeof *e);
    OK(pthread_cond_init(&e->c, NULL));
    pthread_t a = start(waiter, e), b = start(waiter, e);
    OK(pthread_mutex_lock(&m));
    e->done = 1;
    OK(pthread_cond_broadcast(&e->c));
    OK(pthread_mutex_unlock(&m));
    join(a);
    join(b);
    OK(pthread_cond_destroy(&e->c));
    free(e);
    return 0;
}
