/* Signals after the unlock, and a condition destroyed once nobody waits
 * cause:    none: the predicate changes under the lock; the last waiter to leave lets main destroy
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t open;
    int is_open;
};

static void *waiter(void *arg)
{
    struct gate *g = arg;
    pthread_mutex_lock(&g->lock);
    while (!g->is_open)
        pthread_cond_wait(&g->open, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        struct gate *g = calloc(1, sizeof *g);
        pthread_t t[2];
        pthread_mutex_init(&g->lock, NULL);
        pthread_cond_init(&g->open, NULL);
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, waiter, g);
        pthread_mutex_lock(&g->lock);
        g->is_open = 1;
        pthread_mutex_unlock(&g->lock);
        pthread_cond_broadcast(&g->open);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        assert(!pthread_cond_destroy(&g->open) && !pthread_mutex_destroy(&g->lock));
        free(g);
    }
    return 0;
}
