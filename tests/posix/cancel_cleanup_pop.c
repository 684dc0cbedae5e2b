/* Cleanup handlers: pop with and without execution, pthread_exit runs all
 * text:   pop removes the newest handler and runs it if its argument is not zero;
 *         pthread_exit runs those still pushed, newest first
 * expect: exit 0
 */
#include "check.h"

static char order[8];
static int n;

static void cleanup(void *arg) { order[n++] = *(char *)arg; }

static void *user(void *arg)
{
    pthread_cleanup_push(cleanup, "1");
    pthread_cleanup_push(cleanup, "2");
    pthread_cleanup_push(cleanup, "3");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(cleanup, "4");
    pthread_cleanup_pop(0);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    join(start(user, NULL));
    IS(n, 3);
    OK(memcmp(order, "321", 3));
    return 0;
}
