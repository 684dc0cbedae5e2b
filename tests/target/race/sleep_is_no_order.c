/* A sleep orders nothing
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <unistd.h>

static int n;

static void *one(void *arg)
{
    n = 1; /* R1 */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, one, NULL);
    usleep(1000);
    printf("%d\n", n); /* R2 */
    pthread_join(t, NULL);
    return 0;
}
