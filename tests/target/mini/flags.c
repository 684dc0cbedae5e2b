/* Each enters unless the other wants to; not both
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   0 0 | 0 1 | 1 0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int wants_a, wants_b;
static int in_a, in_b;

static void *anna(void *arg)
{
    atomic_store(&wants_a, 1);
    in_a = !atomic_load(&wants_b);
    return arg;
}

static void *bert(void *arg)
{
    atomic_store(&wants_b, 1);
    in_b = !atomic_load(&wants_a);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, anna, NULL);
    pthread_create(&t2, NULL, bert, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d\n", in_a, in_b);
    return 0;
}
