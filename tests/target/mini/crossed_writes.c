/* Two variables written in crossed order; not both by the first writer of each
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   1 2 | 2 1 | 2 2
 */
#include <pthread.h>
#include <stdio.h>

static volatile int x, y;

static void *first(void *arg)
{
    x = 1;
    y = 2;
    return arg;
}

static void *second(void *arg)
{
    y = 1;
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
