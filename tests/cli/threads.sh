#!/usr/bin/env bash
# More threads in sequence than Heddle has numbers for: only those at a time count. And
# threads made behind its back, by libc's own function.
. "$(dirname "$0")/lib.bash"

cat >many.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int sum, ended;
static void *add(void *arg)
{
    sum += (int)(long)arg;
    ended++;
    return arg;
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), want = 0;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < n; i++) {
        pthread_t t;
        void *value;
        if (pthread_create(&t, i % 3 ? NULL : &detached, add, (void *)(long)(i % 7)))
            return 2;
        if (i % 3 && (pthread_join(t, &value) || (long)value != i % 7))
            return 3;
        want += i % 7;
    }
    while (ended < n)
        ;
    return sum == want ? 0 : 1;
}
END
build many
heddle run -q --strategy random --seed 3 -- ./many 5000
expect 0 "5000 threads in sequence, some detached"
heddle replay -q --times 2 .heddle/last.heddle
expect 0 "... and again by the record"
heddle test -q --strategy pos --runs 2 -- ./many 4500
expect 0 "... by another strategy"

cat >unregistered.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int n;
static void *work(void *arg)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    free(malloc(100));
    sem_post(&done);
    return arg;
}
int main(void)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        dlsym(libc, "pthread_create");
    pthread_t t;
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++) {
        if (create(&t, NULL, work, NULL))
            return 2;
        work(NULL);
        sem_wait(&done);
        sem_wait(&done);
    }
    pthread_mutex_lock(&lock);
    return n == 30 ? 0 : 1;
}
END
build unregistered
heddle test -q --strategy random --runs 20 -- ./unregistered
expect 0 "threads that libc's own pthread_create makes"
finish
