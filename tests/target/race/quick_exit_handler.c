/* A handler of quick_exit() reads what a thread still counts
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int count;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++)
        count++; /* R1 */
    return arg;
}

static void last(void)
{
    printf("count %d\n", count); /* R2 */
    fflush(stdout);
}

int main(void)
{
    pthread_t t;
    at_quick_exit(last);
    pthread_create(&t, NULL, worker, NULL);
    quick_exit(0);
}
