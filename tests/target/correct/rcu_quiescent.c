/* Read-copy-update with a count of quiescent states
 * cause:    none: memory is freed after every reader was seen outside
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define READERS 2

struct pair {
    int a, b;
};
static _Atomic(struct pair *) current;
static atomic_uint era = 2;
static struct {
    _Alignas(64) atomic_uint inside; /* 0, or the era in which it went in */
} reader[READERS];

static void *reads(void *arg)
{
    long me = (long)arg;
    for (int i = 0; i < 4; i++) {
        atomic_store(&reader[me].inside, atomic_load(&era));
        struct pair *p = atomic_load(&current);
        assert(p->a + p->b == 10);
        atomic_store(&reader[me].inside, 0);
    }
    return arg;
}

static void *writes(void *arg)
{
    for (int i = 0; i < 3; i++) {
        struct pair *p = malloc(sizeof *p);
        *p = (struct pair){i, 10 - i};
        p = atomic_exchange(&current, p);
        unsigned now = atomic_fetch_add(&era, 1) + 1;
        for (int k = 0; k < READERS; k++)
            for (unsigned in; (in = atomic_load(&reader[k].inside)) && in < now;)
                ;
        free(p);
    }
    return arg;
}

int main(void)
{
    struct pair *p = malloc(sizeof *p);
    *p = (struct pair){5, 5};
    atomic_init(&current, p);
    pthread_t t[READERS + 1];
    for (long i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reads, (void *)i);
    pthread_create(&t[READERS], NULL, writes, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(t[i], NULL);
    free(atomic_load(&current));
    return 0;
}
