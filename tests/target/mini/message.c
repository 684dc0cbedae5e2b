/* Data, then flag; the reader looks at the flag, then the data
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   0 0 | 0 1 | 1 1
 */
#include <pthread.h>
#include <stdio.h>

static volatile int data, flag, r, s;

static void *writer(void *arg)
{
    data = 1;
    flag = 1;
    return arg;
}

static void *reader(void *arg)
{
    r = flag;
    s = data;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, writer, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d\n", r, s);
    return 0;
}
