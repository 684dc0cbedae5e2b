/* object_pool.c [THREADS [OPS]]: objects borrowed and given back; who finds none waits
 * or, if it may, makes the pool larger. THREADS (3) do OPS (12) rounds each, drawn by
 * the thread's own number. For synchronization pairs (TSA): eleven places that lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBJECTS = 6, AT_FIRST = 2, MAX_THREADS = 16 };

static struct object {
    pthread_mutex_t m;
    int uses, owner;
} object[OBJECTS];
static pthread_mutex_t pool_m = PTHREAD_MUTEX_INITIALIZER, stats_m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int spare[OBJECTS], n_spare, n_made, borrowed, returned, rounds, threads = 3, ops = 12;

static void count(int *what)
{
    pthread_mutex_lock(&stats_m);
    ++*what;
    pthread_mutex_unlock(&stats_m);
}

static int borrow(void)
{
    pthread_mutex_lock(&pool_m);
    while (!n_spare)
        pthread_cond_wait(&given_back, &pool_m);
    int o = spare[--n_spare];
    pthread_mutex_unlock(&pool_m);
    count(&borrowed);
    return o;
}

/* -1: there is none and there will be none */
static int borrow_or_make(void)
{
    int o = -1;
    pthread_mutex_lock(&pool_m);
    if (n_spare)
        o = spare[--n_spare];
    else if (n_made < OBJECTS)
        o = n_made++;
    pthread_mutex_unlock(&pool_m);
    if (o >= 0)
        count(&borrowed);
    return o;
}

static void give_back(int o)
{
    pthread_mutex_lock(&pool_m);
    spare[n_spare++] = o;
    pthread_cond_signal(&given_back);
    pthread_mutex_unlock(&pool_m);
    count(&returned);
}

static void own(int o, int who)
{
    pthread_mutex_lock(&object[o].m);
    object[o].owner = who;
    pthread_mutex_unlock(&object[o].m);
}

static int use(int o, int who)
{
    pthread_mutex_lock(&object[o].m);
    object[o].uses++;
    int is_mine = object[o].owner == who;
    pthread_mutex_unlock(&object[o].m);
    return is_mine;
}

static int look_at(int o)
{
    pthread_mutex_lock(&object[o].m);
    int uses = object[o].uses;
    pthread_mutex_unlock(&object[o].m);
    return uses;
}

static int spare_now(void)
{
    pthread_mutex_lock(&pool_m);
    int n = n_spare;
    pthread_mutex_unlock(&pool_m);
    return n;
}

static int out_now(void)
{
    pthread_mutex_lock(&stats_m);
    int n = borrowed - returned;
    pthread_mutex_unlock(&stats_m);
    return n;
}

static void *work(void *arg)
{
    int me = (int)(long)arg, is_right = 1;
    unsigned draw = (unsigned)me * 2654435761u + 29;
    for (int i = 0; i < ops; i++) {
        draw = draw * 1664525u + 1013904223u;
        switch (draw >> 8 & 7) {
        case 0: spare_now(); break;
        case 1: out_now(); break;
        case 2: look_at((int)(draw >> 20) % OBJECTS); break;
        default: {
            int o = draw >> 12 & 1 ? borrow() : borrow_or_make();
            if (o < 0)
                break;
            own(o, me);
            is_right &= use(o, me);
            give_back(o);
        }
        }
    }
    pthread_mutex_lock(&stats_m);
    rounds += ops;
    pthread_mutex_unlock(&stats_m);
    return (void *)(long)!is_right;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        ops = atoi(argv[2]);
    if (threads < 1 || threads > MAX_THREADS)
        return 64;
    for (int i = 0; i < OBJECTS; i++)
        pthread_mutex_init(&object[i].m, NULL);
    for (; n_made < AT_FIRST; n_made++)
        spare[n_spare++] = n_made;
    pthread_t t[MAX_THREADS];
    int is_right = 1;
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++) {
        void *is_wrong;
        pthread_join(t[i], &is_wrong);
        is_right &= !is_wrong;
    }
    is_right &= n_spare == n_made && borrowed == returned && rounds == threads * ops;
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
