/* threads.h: two threads at the same time, for the programs about races. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdio.h>

/* Runs both in threads of their own and waits for them. */
static inline void run_both(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t, u;
    pthread_create(&t, NULL, a, NULL);
    pthread_create(&u, NULL, b, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}

#endif
