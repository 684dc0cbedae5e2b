/* The thread that is done first ends the process with what the others did so far
 * cause:    exit() in a thread that does not wait for the other one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   exit
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int total;
static atomic_int left = 3;

static void *add(void *arg)
{
    for (int i = 0; i < 3; i++)
        total++; /* not atomic */
    if (atomic_fetch_sub(&left, 1) == 1)
        exit(total != 9);
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 3; i++)
        pthread_create(&t, NULL, add, NULL);
    pthread_exit(NULL);
}
