/* Cancellation: cleanup handlers first, then destructors of keys
 * text:   when a thread is cancelled its cleanup handlers run, last pushed first; after
 *         them the destructors; the join gives PTHREAD_CANCELED
 * expect: exit 0
 */
#include "check.h"

static pthread_key_t key;
static char order[8];
static int n;

static void cleanup(void *arg) { order[n++] = *(char *)arg; }
static void destroy(void *arg) { order[n++] = 'k'; }

static void *user(void *arg)
{
    OK(pthread_setspecific(key, &key));
    pthread_cleanup_push(cleanup, "a");
    pthread_cleanup_push(cleanup, "b");
    for (;;)
        sleep(1000);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    OK(pthread_key_create(&key, destroy));
    pthread_t t = start(user, NULL);
    OK(pthread_cancel(t));
    TRUE(join(t) == PTHREAD_CANCELED);
    if (n == 3) /* otherwise it was cancelled before it began */
        OK(memcmp(order, "bak", 3));
    else
        TRUE(n <= 3);
    return 0;
}
