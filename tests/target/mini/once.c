/* Who comes first runs the routine; both see what it did
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   2
 * finals:   1 1 1 | 2 2 2
 */
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int me;
static int x, r, s;

static void init(void)
{
    x = me;
}

static void *anna(void *arg)
{
    me = 1;
    pthread_once(&once, init);
    r = x;
    return arg;
}

static void *bert(void *arg)
{
    me = 2;
    pthread_once(&once, init);
    s = x;
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, anna, NULL);
    pthread_create(&t2, NULL, bert, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d %d\n", x, r, s);
    return 0;
}
