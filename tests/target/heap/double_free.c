/* A connection that two threads close
 * cause:    double free: the check and the reset of the pointer are not one step
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdlib.h>

static char *volatile buffer;

static void close_once(void)
{
    char *b = buffer; /* A */
    if (!b)
        return;
    buffer = NULL; /* B */
    free(b);
}

static void *closer(void *arg)
{
    close_once();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    buffer = malloc(64);
    pthread_create(&a, NULL, closer, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
