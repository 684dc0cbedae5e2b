/* Two halves of an array, and one goes one element too far; linked with optimization, not PIE
 * build:    gcc -g -O3 -flto -no-pie -fno-pie -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 * result:   partition_lto.c:13) is written
 */
#include <pthread.h>
#include <stdio.h>

#define N 32

static int v[N];

struct part {
    int from, to, by;
};

__attribute__((noinline)) static void add(int *p, int n, int by)
{
    for (int i = 0; i < n; i++)
        p[i] += by; /* R1 */
}

static void *worker(void *arg)
{
    struct part *p = arg;
    add(v + p->from, p->to - p->from, p->by);
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    struct part a = {0, N / 2 + 1, 1}, b = {N / 2, N, 2};
    pthread_create(&t, NULL, worker, &a);
    pthread_create(&u, NULL, worker, &b);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%d\n", v[N / 2]);
    return 0;
}
