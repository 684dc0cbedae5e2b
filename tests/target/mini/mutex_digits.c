/* Three critical sections in every order
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   6
 * finals:   123 | 132 | 213 | 231 | 312 | 321
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    x = 10 * x + 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&m);
    x = 10 * x + 2;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *third(void *arg)
{
    pthread_mutex_lock(&m);
    x = 10 * x + 3;
    pthread_mutex_unlock(&m);
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
