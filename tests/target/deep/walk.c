/* walk.c: millions of random walks over a deep program in seconds, without Heddle: its threads
 * are coroutines that give way before every access (the compiler calls __tsan_*, as for
 * Heddle) and every call of pthread. Counts the walks that fail an assertion.
 *
 *   gcc -O1 -fsanitize=thread -Dmain=program_main -c PROGRAM.c && gcc -O2 walk.c PROGRAM.o
 *   ./a.out WALKS [SEED]      prints for each way to draw: walks that fail, of how many
 *
 * random   any thread that can go on, at every step
 * pos      the highest of random priorities, drawn anew for each event
 * burst    the same thread again in 7 of 8 steps
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { THREADS = 8, STACK = 65536, RANDOM = 0, POS, BURST, WAYS };
static const char *const way_name[WAYS] = {"random", "pos", "burst"};

int program_main(void);
extern char __data_start, _end; /* of the program and of us: what we keep is on the heap */

struct state {
    ucontext_t context[THREADS], boss;
    char *stack[THREADS];
    void *(*start[THREADS])(void *);
    void *arg[THREADS];
    uint64_t priority[THREADS];
    pthread_mutex_t *wants[THREADS]; /* lock it waits for, NULL = none */
    sem_t *needs[THREADS];           /* semaphore it waits for, NULL = none */
    pthread_cond_t *awaits[THREADS]; /* condition it waits for, NULL = none */
    int joins[THREADS];              /* thread it waits for, 0 = none */
    int is_done[THREADS];
    pthread_mutex_t *lock[64];
    int owner[64], n_locks;          /* thread + 1, 0 = free */
    int n, now, way, has_failed;
    uint64_t rng;
};
static struct state *s;

static uint64_t next(void)
{
    uint64_t z = (s->rng += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static int *owner_of(pthread_mutex_t *m)
{
    int i = 0;
    while (i < s->n_locks && s->lock[i] != m)
        i++;
    if (i == s->n_locks) {
        s->lock[i] = m;
        s->owner[s->n_locks++] = 0;
    }
    return &s->owner[i];
}

static int can_go(int t)
{
    return !s->is_done[t] && !s->awaits[t] && !(s->needs[t] && !*(int *)s->needs[t]) && !(s->wants[t] && *owner_of(s->wants[t])) &&
           !(s->joins[t] && !s->is_done[s->joins[t]]);
}

static int pick(void)
{
    int best = -1, n = 0;
    if (s->way == BURST && can_go(s->now) && next() % 8)
        return s->now;
    for (int t = 0; t < s->n; t++) {
        if (!can_go(t))
            continue;
        if (s->way == POS && !s->priority[t])
            s->priority[t] = next() | 1;
        if (s->way == POS ? best < 0 || s->priority[t] > s->priority[best] : next() % ++n == 0)
            best = t;
    }
    return best;
}

/* Before every step. */
static void step(void)
{
    int was = s->now, t = pick();
    if (t < 0)
        setcontext(&s->boss);
    s->priority[t] = 0;
    s->now = t;
    if (t != was)
        swapcontext(&s->context[was], &s->context[t]);
}

static void finish(void)
{
    s->is_done[s->now] = 1;
    int t = s->now ? pick() : -1;
    if (s->now == 0 || t < 0)
        setcontext(&s->boss);
    s->priority[t] = 0;
    s->now = t;
    setcontext(&s->context[t]);
}

static void entry(void)
{
    if (s->now)
        s->start[s->now](s->arg[s->now]);
    else
        program_main();
    finish();
}

static void make(int t)
{
    getcontext(&s->context[t]);
    s->context[t].uc_stack.ss_sp = s->stack[t];
    s->context[t].uc_stack.ss_size = STACK;
    makecontext(&s->context[t], entry, 0);
    s->is_done[t] = s->joins[t] = 0;
    s->wants[t] = NULL;
    s->needs[t] = NULL;
    s->awaits[t] = NULL;
    s->priority[t] = 0;
}

/* ---- what the program calls ----------------------------------------------------------- */

int pthread_create(pthread_t *out, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
    (void)a;
    step();
    int t = s->n++;
    s->start[t] = f;
    s->arg[t] = arg;
    make(t);
    *out = (pthread_t)t;
    return 0;
}

int pthread_join(pthread_t t, void **r)
{
    (void)r;
    s->joins[s->now] = (int)t;
    step();
    s->joins[s->now] = 0;
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) { return (void)m, (void)a, 0; }

int pthread_mutex_lock(pthread_mutex_t *m)
{
    s->wants[s->now] = m;
    step();
    s->wants[s->now] = NULL;
    *owner_of(m) = s->now + 1;
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
    step();
    if (*owner_of(m))
        return EBUSY;
    *owner_of(m) = s->now + 1;
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    step();
    *owner_of(m) = 0;
    return 0;
}

/* A walk in which all threads wait is over, without a failure. */
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    *owner_of(m) = 0;
    s->awaits[s->now] = c;
    s->wants[s->now] = m;
    step();
    s->wants[s->now] = NULL;
    *owner_of(m) = s->now + 1;
    return 0;
}

static int wake(pthread_cond_t *c, int most)
{
    step();
    for (int t = 0; t < s->n && most; t++)
        if (s->awaits[t] == c) {
            s->awaits[t] = NULL;
            most--;
        }
    return 0;
}

int pthread_cond_signal(pthread_cond_t *c) { return wake(c, 1); }
int pthread_cond_broadcast(pthread_cond_t *c) { return wake(c, THREADS); }

/* The first word of a semaphore is its count. */
int sem_init(sem_t *m, int shared, unsigned value) { return (void)shared, *(int *)m = (int)value, 0; }

int sem_wait(sem_t *m)
{
    s->needs[s->now] = m;
    step();
    s->needs[s->now] = NULL;
    --*(int *)m;
    return 0;
}

int sem_trywait(sem_t *m)
{
    step();
    if (!*(int *)m) {
        errno = EAGAIN;
        return -1;
    }
    --*(int *)m;
    return 0;
}

int sem_post(sem_t *m)
{
    step();
    ++*(int *)m;
    return 0;
}

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    (void)what, (void)file, (void)line, (void)function;
    s->has_failed = 1;
    setcontext(&s->boss);
    abort();
}

void __tsan_init(void) {}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}
/* Plain accesses of these programs are under a lock, or of one thread at a time. */
void __tsan_read4(void *p) { (void)p; }
void __tsan_write4(void *p) { (void)p; }
void __tsan_read8(void *p) { (void)p; }
void __tsan_write8(void *p) { (void)p; }
int __tsan_atomic32_load(const volatile int *p, int o) { return (void)o, step(), *p; }
void __tsan_atomic32_store(volatile int *p, int v, int o) { (void)o, step(), *p = v; }
int __tsan_atomic32_exchange(volatile int *p, int v, int o)
{
    (void)o;
    step();
    int was = *p;
    *p = v;
    return was;
}
int __tsan_atomic32_fetch_add(volatile int *p, int v, int o)
{
    (void)o;
    step();
    int was = *p;
    *p = was + v;
    return was;
}
int __tsan_atomic32_fetch_sub(volatile int *p, int v, int o) { return __tsan_atomic32_fetch_add(p, -v, o); }
int __tsan_atomic32_compare_exchange_strong(volatile int *p, int *want, int v, int o, int o2)
{
    (void)o, (void)o2;
    step();
    int was = *p;
    if (was == *want) {
        *p = v;
        return 1;
    }
    *want = was;
    return 0;
}

/* ---- walks ------------------------------------------------------------------------------- */

static int walk(void)
{
    volatile int is_over = 0;
    s->n = 1;
    s->now = s->n_locks = s->has_failed = 0;
    make(0);
    getcontext(&s->boss);
    if (!is_over) {
        is_over = 1;
        setcontext(&s->context[0]);
    }
    return s->has_failed;
}

int main(int argc, char **argv)
{
    long walks = argc > 1 ? atol(argv[1]) : 1000000;
    size_t size = (size_t)(&_end - &__data_start);
    char *kept = malloc(size);
    s = calloc(1, sizeof *s);
    for (int i = 0; i < THREADS; i++)
        s->stack[i] = malloc(STACK);
    memcpy(kept, &__data_start, size);
    for (int way = 0; way < WAYS; way++) {
        long failed = 0;
        s->way = way;
        s->rng = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
        for (long i = 0; i < walks; i++) {
            failed += walk();
            memcpy(&__data_start, kept, size);
        }
        printf("%s %ld/%ld  ", way_name[way], failed, walks);
        fflush(stdout);
    }
    printf("\n");
    return 0;
}
