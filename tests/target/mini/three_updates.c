/* Three plain increments
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   1 | 2 | 3
 */
#include <pthread.h>
#include <stdio.h>

static volatile int x;

static void *first(void *arg)
{
    x = x + 1;
    return arg;
}

static void *second(void *arg)
{
    x = x + 1;
    return arg;
}

static void *third(void *arg)
{
    x = x + 1;
    return arg;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_create(&t3, NULL, third, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    printf("%d\n", x);
    return 0;
}
