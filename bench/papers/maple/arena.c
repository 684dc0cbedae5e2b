/* Of the kind of Maple's bug 13, an assertion in free() of glibc 2.5 that its authors did not explain: blocks
 * of an arena know whether the block before them is free. Here free() asks that before it takes the
 * arena's lock, so of two neighbours that are freed at the same time neither merges with the other, and
 * the check of free() fails when the space is given back.
 * With an argument, another input: one thread frees what it has before the next one comes.
 *   build: gcc -g -O1 -pthread -fsanitize=thread
 *   expect: assert
 */
#include <assert.h>
#include <pthread.h>

enum { BLOCKS = 8, THREADS = 3 };

struct block {
    int size;      /* in units; 0: part of the block before */
    int is_used, is_before_used;
};
static struct block arena[BLOCKS + 1];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_used(int i, int is_used)
{
    arena[i].is_used = is_used;
    arena[i + arena[i].size].is_before_used = is_used;
}

static int before(int i)
{
    do
        i--;
    while (!arena[i].size);
    return i;
}

static void merge(int i, int next)
{
    arena[i].size += arena[next].size;
    arena[next].size = 0;
}

static void give_back(int i)
{
    int is_alone = arena[i].is_before_used; /* the bug: asked too early */
    pthread_mutex_lock(&lock);
    set_used(i, 0);
    int next = i + arena[i].size;
    if (next < BLOCKS && !arena[next].is_used)
        merge(i, next);
    if (!is_alone) {
        int first = before(i);
        merge(first, i);
        i = first;
    }
    assert(i == 0 || arena[before(i)].is_used); /* free blocks are merged */
    arena[i + arena[i].size].is_before_used = 0;
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (arena[i].is_used)
        i += arena[i].size;
    if (arena[i].size > 1) {
        arena[i + 1] = (struct block){arena[i].size - 1, 0, 1};
        arena[i].size = 1;
    }
    set_used(i, 1);
    pthread_mutex_unlock(&lock);
    return i;
}

static void *work(void *arg)
{
    for (int round = 0; round < 2; round++) {
        int a = take(), b = take();
        give_back(a);
        give_back(b);
    }
    return arg;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t t[THREADS];
    arena[0] = (struct block){BLOCKS, 0, 1};
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t[i], 0, work, 0);
        if (argc > 1)
            pthread_join(t[i], 0);
    }
    for (int i = 0; i < THREADS && argc == 1; i++)
        pthread_join(t[i], 0);
    assert(arena[0].size == BLOCKS);
    return 0;
}
