/* Threads that make threads: a parallel merge sort
 * cause:    none: each half belongs to one thread until it is joined
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct part {
    int *at, n;
};

static void *sort(void *arg)
{
    struct part *p = arg;
    if (p->n < 2)
        return NULL;
    struct part a = {p->at, p->n / 2}, b = {p->at + p->n / 2, p->n - p->n / 2};
    pthread_t t;
    pthread_create(&t, NULL, sort, &a);
    sort(&b);
    pthread_join(t, NULL);
    int out[8], i = 0, j = 0;
    for (int k = 0; k < p->n; k++)
        out[k] = j == b.n || (i < a.n && a.at[i] <= b.at[j]) ? a.at[i++] : b.at[j++];
    memcpy(p->at, out, sizeof(int) * (size_t)p->n);
    return NULL;
}

int main(void)
{
    int list[8] = {5, 2, 8, 1, 9, 3, 7, 4};
    struct part all = {list, 8};
    sort(&all);
    for (int i = 1; i < 8; i++)
        assert(list[i - 1] <= list[i]);
    return 0;
}
