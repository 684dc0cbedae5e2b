/* queue.c [THREADS [OPS]]: a bounded queue, one lock and two conditions; half of THREADS
 * (4) put OPS (8) items each, the other half take them; all look at it in between. For
 * synchronization pairs (TSA): twelve places that lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 3, MAX_THREADS = 16 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, stats_m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_items = PTHREAD_COND_INITIALIZER, has_room = PTHREAD_COND_INITIALIZER;
static long item[SLOTS], put_sum, taken_sum;
static int first, used, left, n_put, n_taken, threads = 4, ops = 8;

static void append(long x)
{
    item[(first + used++) % SLOTS] = x;
    pthread_cond_signal(&has_items);
}

static long detach(void)
{
    long x = item[first];
    first = (first + 1) % SLOTS;
    used--;
    pthread_cond_signal(&has_room);
    return x;
}

static void put(long x)
{
    pthread_mutex_lock(&m);
    while (used == SLOTS)
        pthread_cond_wait(&has_room, &m);
    append(x);
    pthread_mutex_unlock(&m);
}

static int try_put(long x)
{
    pthread_mutex_lock(&m);
    int is_room = used < SLOTS;
    if (is_room)
        append(x);
    pthread_mutex_unlock(&m);
    return is_room;
}

/* 0: all that will ever come has been taken */
static long take(void)
{
    pthread_mutex_lock(&m);
    while (!used && left)
        pthread_cond_wait(&has_items, &m);
    long x = used ? detach() : 0;
    pthread_mutex_unlock(&m);
    return x;
}

static long try_take(void)
{
    pthread_mutex_lock(&m);
    long x = used ? detach() : 0;
    pthread_mutex_unlock(&m);
    return x;
}

static long peek(void)
{
    pthread_mutex_lock(&m);
    long x = used ? item[first] : 0;
    pthread_mutex_unlock(&m);
    return x;
}

static int length(void)
{
    pthread_mutex_lock(&m);
    int n = used;
    pthread_mutex_unlock(&m);
    return n;
}

static void end_of_producer(void)
{
    pthread_mutex_lock(&m);
    if (!--left)
        pthread_cond_broadcast(&has_items);
    pthread_mutex_unlock(&m);
}

static void count_put(long x)
{
    pthread_mutex_lock(&stats_m);
    n_put++;
    put_sum += x;
    pthread_mutex_unlock(&stats_m);
}

static void count_taken(long x)
{
    pthread_mutex_lock(&stats_m);
    n_taken++;
    taken_sum += x;
    pthread_mutex_unlock(&stats_m);
}

static int on_the_way(void)
{
    pthread_mutex_lock(&stats_m);
    int n = n_put - n_taken;
    pthread_mutex_unlock(&stats_m);
    return n;
}

static void *producer(void *arg)
{
    long me = (long)arg;
    for (int i = 0; i < ops; i++) {
        long x = me * 1000 + i + 1;
        if (i % 3 || !try_put(x))
            put(x);
        count_put(x);
        if (i % 4 == 1)
            length();
    }
    end_of_producer();
    return NULL;
}

static void *consumer(void *arg)
{
    int tries = 0;
    for (;;) {
        long x = tries++ % 3 == 2 ? try_take() : 0;
        if (!x && !(x = take()))
            return NULL;
        count_taken(x);
        if (tries % 4 == 1)
            peek();
        else if (tries % 4 == 2)
            on_the_way();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        ops = atoi(argv[2]);
    if (threads < 2 || threads > MAX_THREADS)
        return 64;
    left = threads / 2;
    pthread_t t[MAX_THREADS];
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, i < threads / 2 ? producer : consumer, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    int is_right = n_put == n_taken && put_sum == taken_sum && n_put == threads / 2 * ops;
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
