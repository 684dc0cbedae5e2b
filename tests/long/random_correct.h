/* random_correct.h: what the scenarios of random_correct.c share. */
#ifndef RANDOM_CORRECT_H
#define RANDOM_CORRECT_H

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#undef NDEBUG
#define MOST 4    /* threads of one scenario */
#define AGAIN(call) ({ long r_; do r_ = (call); while (r_ == -1 && errno == EINTR); r_; })
#define OK(call) assert((call) == 0)

typedef unsigned rng;
static inline unsigned below(rng *r, unsigned n)
{
    *r = *r * 1103515245u + 12345;
    return (*r >> 16) % n;
}

static inline struct timespec in(clockid_t clock, long us)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += us * 1000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static inline void nap(rng *r)
{
    struct timespec t = {0, 1000 * (1 + below(r, 300))};
    switch (below(r, 5)) {
    case 0: sched_yield(); break;
    case 1: usleep(1 + below(r, 200)); break;
    case 2:
        while (nanosleep(&t, &t) && errno == EINTR) {}
        break;
    default: break;
    }
}

static inline pthread_t start(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    OK(pthread_create(&t, NULL, fn, arg));
    return t;
}

static inline void *join(pthread_t t, rng *r)
{
    void *value = NULL;
    int err;
    struct timespec until;
    switch (below(r, 4)) {
    case 0:
        while ((err = pthread_tryjoin_np(t, &value)) == EBUSY)
            sched_yield();
        break;
    case 1:
        do {
            until = in(CLOCK_REALTIME, 200);
            err = pthread_timedjoin_np(t, &value, &until);
        } while (err == ETIMEDOUT);
        break;
    default: err = pthread_join(t, &value);
    }
    assert(!err);
    return value;
}

/* What the threads of a scenario share. */
struct team {
    rng r, base; /* of its maker; of its threads */
    int n, rounds, way;
    atomic_int next; /* number of the thread that starts */
    long sum, a, b;
    long slot[MOST];
    atomic_long total;
    pthread_mutex_t lock;
    pthread_cond_t cond, other;
    pthread_rwlock_t rw;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    sem_t sem, back;
    int fd[2], signo;
    FILE *file;
    void *head;
    bool is_done;
};

/* Starts n threads on fn and joins them. */
static inline void all(struct team *m, void *(*fn)(void *))
{
    pthread_t t[MOST];
    for (int i = 0; i < m->n; i++)
        t[i] = start(fn, m);
    for (int i = 0; i < m->n; i++)
        join(t[i], &m->r);
}

static inline rng own(struct team *m) { return m->base + 77 * (unsigned)atomic_fetch_add(&m->next, 1); }

/* Of random_correct_world.c. */
void world_init(rng *r);
void world_end(void);
void cancel(struct team *m);
void thread_signals(struct team *m);
void sigwaiters(struct team *m);
void signal_descriptor(struct team *m);
void noisy(struct team *m);
void alarms(struct team *m);
void timers(struct team *m);
void pipes(struct team *m);
void events(struct team *m);
void sleeps(struct team *m);
void children(struct team *m);
void streams(struct team *m);

#endif
