/* main returns 1 after one of two lines on stderr
 * build:    gcc -g -O1 -fsanitize=thread
 * runs:     300
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int a, b;

static int changed(atomic_int *x)
{
    int before = atomic_load(x);
    return before != atomic_load(x);
}

static void *writer(void *unused)
{
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int bad_a = changed(&a), bad_b = changed(&b);
    pthread_join(t, NULL);
    if (bad_a)
        fprintf(stderr, "run %d: sum is %d\n", atomic_load(&a), bad_a); /* bug 1 */
    else if (bad_b)
        fprintf(stderr, "run %d: order is %d\n", atomic_load(&a), bad_b); /* bug 2 */
    return bad_a || bad_b;
    return 0;
}
