/* Each writes its own and reads the other's; under sequential consistency not both old
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   0 1 | 1 0 | 1 1
 */
#include <pthread.h>
#include <stdio.h>

static volatile int x, y, r, s;

static void *first(void *arg)
{
    x = 1;
    r = y;
    return arg;
}

static void *second(void *arg)
{
    y = 1;
    s = x;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d\n", r, s);
    return 0;
}
