/* two tests of one program, in TAP
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
    printf("1..2\n");
    printf("%s 1 - queue\n", bad_a ? "not ok" : "ok"); /* bug 1 */
    printf("%s 2 - stack\n", bad_b ? "not ok" : "ok"); /* bug 2 */
    return (bad_a && !bad_b) || (bad_b && !bad_a);
    return 0;
}
