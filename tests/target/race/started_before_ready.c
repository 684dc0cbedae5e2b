/* The thread is started before the session it works on has its bandwidth
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  signal
 */
#include <stdlib.h>

#include "threads.h"

static struct session {
    int *bandwidth;
} *session;

static void *loop(void *arg)
{
    int *limit = session->bandwidth; /* R2 */
    *limit += 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    int *limit = calloc(1, sizeof *limit);
    session = calloc(1, sizeof *session);
    pthread_create(&t, NULL, loop, NULL);
    session->bandwidth = limit; /* R1 */
    pthread_join(t, NULL);
    free(limit);
    free(session);
    return 0;
}
