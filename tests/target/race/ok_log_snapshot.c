/* Each section prints a consistent snapshot of two counters; the order is anybody's
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ops, bytes;
static void work(int n)
{
    pthread_mutex_lock(&m);
    ops++;
    bytes += n;
    printf("%d ops %d bytes\n", ops, bytes);
    pthread_mutex_unlock(&m);
}
static void peek(void)
{
    pthread_mutex_lock(&m);
    printf("now %d %d\n", ops, bytes);
    pthread_mutex_unlock(&m);
}
static void *a(void *arg)
{
    work(3);
    peek();
    work(4);
    return arg;
}
static void *b(void *arg)
{
    peek();
    work(5);
    peek();
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, a, NULL);
    pthread_create(&u, NULL, b, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
