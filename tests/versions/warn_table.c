/* warn_table.c: the program that warn_table.txt changes: a read-write lock, and a function that is called with
 * the lock held. */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
static int slots[8], used, lookups, changes;

__attribute__((noinline)) void grow(int n) /* the caller holds the lock for writing */
{
    slots[n % 8] = n;
    used++; /* grow */
    /* end of grow */
}

__attribute__((noinline)) int find(int n)
{
    int found = 0;
    pthread_rwlock_rdlock(&guard);
    for (int i = 0; i < 8; i++)
        found += slots[i] == n;
    /* looked */
    pthread_rwlock_unlock(&guard);
    /* end of find */
    return found;
}

__attribute__((noinline)) void store(int n)
{
    pthread_rwlock_wrlock(&guard);
    grow(n);
    changes++; /* store */
    pthread_rwlock_unlock(&guard);
    /* end of store */
}

static void *run(void *arg)
{
    for (int i = 1; i < 4; i++) {
        store(i);
        find(i);
    }
    return arg;
}

int main(void)
{
    pthread_t id[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&id[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], 0);
    printf("%d %d %d\n", used, lookups, changes);
    return 0;
}
