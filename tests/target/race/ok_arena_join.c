/* Each thread fills an arena of its own; who joins it takes the blocks over, some by tryjoin
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct arena {
    struct block {
        struct block *next;
        int value;
    } * first;
    int n;
};

static void *fill(void *arg)
{
    struct arena *a = arg;
    for (int i = 0; i < 3; i++) {
        struct block *b = malloc(sizeof *b);
        b->value = i;
        b->next = a->first;
        a->first = b;
        a->n++;
    }
    return a;
}

int main(void)
{
    pthread_t t[3];
    struct arena arena[3] = {{0}};
    int sum = 0, n = 0, open = 3, done[3] = {0};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, fill, &arena[i]);
    while (open) {
        for (int i = 0; i < 3; i++) {
            void *out;
            if (done[i] || pthread_tryjoin_np(t[i], &out))
                continue;
            struct arena *a = out;
            done[i] = 1, open--, n += a->n;
            while (a->first) {
                struct block *b = a->first;
                a->first = b->next;
                sum += b->value;
                free(b);
            }
        }
        sched_yield();
    }
    return sum != 9 || n != 9;
}
