/* random_correct.c: a random program that is correct by construction.
 *
 *   random_correct SEED [SCENARIO...]
 *
 * The seed chooses scenarios, their sizes, kinds of objects and ways to wait; some run beside each
 * other, some inside another one. Each checks its own end by conditions that hold in every
 * interleaving, so whatever Heddle says about it is a mistake of Heddle or of this file.
 * Rules: every call that a handler may interrupt is repeated; signals that are waited for are
 * blocked in all threads; every scenario joins, or counts, the threads it made.
 */
#include "random_correct.h"

/* ---- locks ------------------------------------------------------------------------- */

static void lock(struct team *m, rng *r)
{
    struct timespec until;
    int err;
    switch (below(r, 4)) {
    case 0:
        while (pthread_mutex_trylock(&m->lock) == EBUSY)
            sched_yield();
        break;
    case 1:
        do {
            until = in(CLOCK_REALTIME, 100);
            err = pthread_mutex_timedlock(&m->lock, &until);
        } while (err == ETIMEDOUT);
        assert(!err);
        break;
    default: OK(pthread_mutex_lock(&m->lock));
    }
}

static void *count(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        if (m->way == 4) {
            OK(pthread_spin_lock(&m->spin));
            m->sum++;
            OK(pthread_spin_unlock(&m->spin));
            continue;
        }
        lock(m, &r);
        if (m->way == 1)
            OK(pthread_mutex_lock(&m->lock));
        if (m->way == 2)
            assert(pthread_mutex_lock(&m->lock) == EDEADLK);
        m->sum++;
        nap(&r);
        if (m->way == 1)
            OK(pthread_mutex_unlock(&m->lock));
        OK(pthread_mutex_unlock(&m->lock));
    }
    return NULL;
}

static void counters(struct team *m)
{
    static const int type[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                               PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
    pthread_mutexattr_t a;
    m->way = (int)below(&m->r, 5);
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, type[m->way % 4]);
    if (m->way == 3)
        pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    OK(pthread_mutex_destroy(&m->lock));
    OK(pthread_mutex_init(&m->lock, &a));
    all(m, count);
    assert(m->sum == m->n * m->rounds);
}

static void *read_or_write(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        struct timespec soon = in(CLOCK_REALTIME, 50);
        if (below(&r, 2)) {
            while (below(&r, 3) ? pthread_rwlock_trywrlock(&m->rw) : pthread_rwlock_timedwrlock(&m->rw, &soon))
                sched_yield();
            m->a++, m->b++;
            m->total++;
        } else {
            if (below(&r, 2))
                OK(pthread_rwlock_rdlock(&m->rw));
            else
                while (pthread_rwlock_tryrdlock(&m->rw))
                    sched_yield();
            assert(m->a == m->b);
        }
        nap(&r);
        OK(pthread_rwlock_unlock(&m->rw));
    }
    return NULL;
}

static void readers_writers(struct team *m)
{
    all(m, read_or_write);
    assert(m->a == m->total && m->b == m->total);
}

/* ---- conditions and messages ---------------------------------------------------------- */

struct message {
    struct message *next;
    long n;
    char *text;
};

static void await(struct team *m, pthread_cond_t *c, rng *r)
{
    struct timespec until = in(CLOCK_REALTIME, 100 + below(r, 1000));
    struct timespec mono = in(CLOCK_MONOTONIC, 100 + below(r, 1000));
    switch (m->way % 3) {
    case 0: OK(pthread_cond_wait(c, &m->lock)); break;
    case 1: pthread_cond_timedwait(c, &m->lock, &until); break;
    default: pthread_cond_clockwait(c, &m->lock, CLOCK_MONOTONIC, &mono);
    }
}

static void *produce(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        struct message *x = malloc(sizeof *x);
        x->n = 1 + (long)below(&r, 100);
        x->text = malloc(8);
        strcpy(x->text, "mess");
        x->text = realloc(x->text, 16 + below(&r, 100));
        m->total += x->n;
        lock(m, &r);
        while (m->a == 2)
            await(m, &m->other, &r);
        x->next = m->head;
        m->head = x;
        m->a++;
        if (m->way >= 3)
            OK(pthread_mutex_unlock(&m->lock));
        OK(below(&r, 2) ? pthread_cond_signal(&m->cond) : pthread_cond_broadcast(&m->cond));
        if (m->way < 3)
            OK(pthread_mutex_unlock(&m->lock));
        nap(&r);
    }
    return NULL;
}

static void *consume(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (;;) {
        lock(m, &r);
        while (!m->head && !m->is_done)
            await(m, &m->cond, &r);
        struct message *x = m->head;
        if (x) {
            m->head = x->next;
            m->a--;
            m->sum += x->n;
            OK(pthread_cond_signal(&m->other));
        }
        OK(pthread_mutex_unlock(&m->lock));
        if (!x)
            return NULL;
        assert(!strcmp(x->text, "mess"));
        free(x->text);
        free(x);
    }
}

static void queue(struct team *m)
{
    pthread_t t[2];
    int n = 1 + (int)below(&m->r, 2);
    m->way = (int)below(&m->r, 6);
    for (int i = 0; i < n; i++)
        t[i] = start(consume, m);
    all(m, produce);
    OK(pthread_mutex_lock(&m->lock));
    m->is_done = true;
    OK(pthread_cond_broadcast(&m->cond));
    OK(pthread_mutex_unlock(&m->lock));
    for (int i = 0; i < n; i++)
        join(t[i], &m->r);
    assert(!m->head && m->sum == m->total);
}

static void *count_down(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    nap(&r);
    OK(pthread_mutex_lock(&m->lock));
    m->a++;
    OK(pthread_cond_signal(&m->cond));
    OK(pthread_mutex_unlock(&m->lock));
    return NULL;
}

static void detached(struct team *m)
{
    for (int i = 0; i < m->n; i++)
        OK(pthread_detach(start(count_down, m)));
    OK(pthread_mutex_lock(&m->lock));
    while (m->a < m->n)
        await(m, &m->cond, &m->r);
    OK(pthread_mutex_unlock(&m->lock));
}

/* ---- semaphores, barriers, keys, atomics ------------------------------------------------ */

static void down(sem_t *s, rng *r)
{
    struct timespec until;
    switch (below(r, 3)) {
    case 0:
        while (sem_trywait(s))
            sched_yield();
        break;
    case 1:
        do
            until = in(CLOCK_REALTIME, 100);
        while (sem_timedwait(s, &until));
        break;
    default: assert(!AGAIN(sem_wait(s)));
    }
}

static void *ping(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        down(&m->sem, &r);
        m->sum++; /* one holds it at a time */
        nap(&r);
        OK(sem_post(&m->sem));
    }
    return NULL;
}

static void semaphore(struct team *m)
{
    OK(sem_post(&m->sem));
    all(m, ping);
    assert(m->sum == m->n * m->rounds);
}

static void *phase(void *arg)
{
    struct team *m = arg;
    int me = atomic_fetch_add(&m->next, 1);
    for (int i = 1; i <= m->rounds; i++) {
        m->slot[me] = i;
        int e = pthread_barrier_wait(&m->barrier);
        assert(!e || e == PTHREAD_BARRIER_SERIAL_THREAD);
        m->total += e != 0;
        for (int k = 0; k < m->n; k++)
            assert(m->slot[k] == i);
        pthread_barrier_wait(&m->barrier);
    }
    return NULL;
}

static void phases(struct team *m)
{
    all(m, phase);
    assert(m->total == m->rounds);
}

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static void at_end(void *arg)
{
    struct team *m = arg;
    if (atomic_fetch_add(&m->total, 1) % 2 == 0)
        pthread_setspecific(key, m); /* once more */
}
static void make_key(void) { OK(pthread_key_create(&key, at_end)); }

static void *with_key(void *arg)
{
    OK(pthread_once(&key_once, make_key));
    OK(pthread_setspecific(key, arg));
    if (((struct team *)arg)->way % 2)
        pthread_exit(arg);
    return arg;
}

static void keys(struct team *m)
{
    for (int i = 1; i <= m->rounds; i++) {
        join(start(with_key, m), &m->r);
        assert(m->total == 2 * i);
    }
}

static void *spin(void *arg)
{
    struct team *m = arg;
    rng r = own(m);
    for (int i = 0; i < m->rounds; i++) {
        struct message *x = malloc(sizeof *x);
        x->n = i;
        _Atomic(void *) *top = (_Atomic(void *) *)&m->head;
        void *old = atomic_load(top);
        do
            x->next = old;
        while (!atomic_compare_exchange_weak(top, &old, x));
    }
    long ticket = atomic_fetch_add(&m->total, 1);
    _Atomic int *turn = (_Atomic int *)&m->signo;
    while (atomic_load(turn) != ticket)
        if (below(&r, 2))
            sched_yield();
    m->sum++;
    atomic_fetch_add(turn, 1);
    return NULL;
}

static void atomics(struct team *m)
{
    all(m, spin);
    int n = 0;
    for (struct message *x = m->head, *next; x; x = next, n++) {
        next = x->next;
        free(x);
    }
    assert(n == m->n * m->rounds && m->sum == m->n);
}

/* ---- all together --------------------------------------------------------------------- */

static void nested(struct team *m);
static const struct scenario {
    const char *name;
    void (*run)(struct team *m);
} scenario[] = {
    {"counters", counters},     {"readers_writers", readers_writers}, {"queue", queue},
    {"detached", detached},     {"semaphore", semaphore},             {"phases", phases},
    {"keys", keys},             {"atomics", atomics},                 {"cancel", cancel},
    {"thread_signals", thread_signals}, {"sigwaiters", sigwaiters},   {"signal_descriptor", signal_descriptor},
    {"noisy", noisy},           {"alarms", alarms},                   {"timers", timers},
    {"pipes", pipes},           {"events", events},                   {"sleeps", sleeps},
    {"children", children},     {"streams", streams},                 {"nested", nested},
};
#define N_SCENARIOS (sizeof scenario / sizeof *scenario)

/* The objects of a team are new memory each time, or that of an earlier one. */
static void run(const struct scenario *what, rng r)
{
    struct team *m = calloc(1, sizeof *m);
    pthread_rwlockattr_t a;
    m->r = m->base = r;
    m->n = 2 + (int)below(&m->r, MOST - 1);
    m->rounds = 1 + (int)below(&m->r, 4);
    m->way = (int)below(&m->r, 100);
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, below(&m->r, 2) ? PTHREAD_RWLOCK_PREFER_READER_NP
                                                      : PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    OK(pthread_mutex_init(&m->lock, NULL));
    OK(pthread_cond_init(&m->cond, NULL));
    OK(pthread_cond_init(&m->other, NULL));
    OK(pthread_rwlock_init(&m->rw, &a));
    OK(pthread_barrier_init(&m->barrier, NULL, (unsigned)m->n));
    OK(pthread_spin_init(&m->spin, 0));
    OK(sem_init(&m->sem, 0, 0));
    OK(sem_init(&m->back, 0, 0));
    if (getenv("NAMES"))
        fprintf(stderr, "%s n=%d rounds=%d way=%d\n", what->name, m->n, m->rounds, m->way);
    what->run(m);
    OK(pthread_mutex_destroy(&m->lock));
    OK(pthread_cond_destroy(&m->cond));
    OK(pthread_cond_destroy(&m->other));
    OK(pthread_rwlock_destroy(&m->rw));
    OK(pthread_barrier_destroy(&m->barrier));
    OK(pthread_spin_destroy(&m->spin));
    OK(sem_destroy(&m->sem));
    OK(sem_destroy(&m->back));
    free(m);
}

static void *beside(void *arg)
{
    rng *r = arg, mine = *r;
    free(r);
    run(&scenario[below(&mine, N_SCENARIOS - 1)], mine);
    return NULL;
}

static pthread_t start_beside(rng *r)
{
    rng *its = malloc(sizeof *its);
    *its = below(r, 32768);
    return start(beside, its);
}

static void nested(struct team *m)
{
    pthread_t t[2] = {start_beside(&m->r), start_beside(&m->r)};
    counters(m);
    join(t[0], &m->r);
    join(t[1], &m->r);
}

int main(int argc, char **argv)
{
    rng r = (rng)(argc > 1 ? atoi(argv[1]) : 1) * 2654435761u;
    world_init(&r);
    for (int i = 2; i < argc; i++)
        for (size_t k = 0; k < N_SCENARIOS; k++)
            if (!strcmp(argv[i], scenario[k].name))
                run(&scenario[k], below(&r, 32768));
    if (argc <= 2) {
        pthread_t t[2];
        int n = (int)below(&r, 3);
        for (int i = 0; i < n; i++)
            t[i] = start_beside(&r);
        for (unsigned i = 0, k = 1 + below(&r, 2); i < k; i++)
            run(&scenario[below(&r, N_SCENARIOS)], below(&r, 32768));
        for (int i = 0; i < n; i++)
            join(t[i], &r);
    }
    world_end();
    return 0;
}
