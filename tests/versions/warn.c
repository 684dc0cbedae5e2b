/* warn.c: the program that warn.txt changes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
int hits, misses, total, limit = 5, sizes[4], added, added_too;
atomic_int counted;

__attribute__((noinline)) void get(int n)
{
    pthread_mutex_lock(&lock);
    hits++; /* get */
    sizes[1] += n;
    pthread_mutex_unlock(&lock);
    /* end of get */
}

__attribute__((noinline)) void put(int n)
{
    pthread_mutex_lock(&lock); /* put takes */
    misses++; /* put */
    sizes[2] += n;
    pthread_mutex_unlock(&lock); /* put gives */
    /* end of put */
}

__attribute__((noinline)) void sum(int n)
{
    pthread_mutex_lock(&lock);
    total = hits + misses + n; /* sum */
    pthread_mutex_unlock(&lock); /* sum gives */
    /* end of sum */
}

__attribute__((noinline)) void alone(int n)
{
    pthread_mutex_lock(&second);
    sizes[3] += n; /* alone */
    pthread_mutex_unlock(&second);
    /* end of alone */
}

__attribute__((noinline)) void prepare(int n)
{
    for (int i = 0; i < n; i++)
        sizes[0] += i;
    /* end of prepare */
}

static void *one(void *arg)
{
    for (int i = 0; i < 2; i++) {
        get(i);
        sum(i);
    }
    alone(1);
    return arg;
}

static void *two(void *arg)
{
    for (int i = 0; i < 2; i++) {
        put(i);
        get(i);
        sum(i);
    }
    return arg;
}

int main(void)
{
    pthread_t x, y;
    prepare(3);
    pthread_create(&x, 0, one, 0);
    pthread_create(&y, 0, two, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
    printf("%d %d\n", total, limit);
    return 0;
}
