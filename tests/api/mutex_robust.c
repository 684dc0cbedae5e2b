/* Robust mutexes: owner dead, made consistent or not, and in a cond wait. */
#include "check.h"

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void init_robust(int type)
{
    pthread_mutexattr_t a;
    IS(pthread_mutexattr_init(&a), 0);
    IS(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST), 0);
    IS(pthread_mutexattr_settype(&a, type), 0);
    IS(pthread_mutex_init(&m, &a), 0);
    IS(pthread_mutexattr_destroy(&a), 0);
}

static void *die_holding(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    return NULL;
}

static void *exit_holding(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    pthread_exit(NULL);
}

static void *die_holding_again(void *arg)
{
    IS(pthread_mutex_lock(&m), EOWNERDEAD);
    return NULL;
}

static void recover(int (*lock)(void))
{
    IS(pthread_mutex_consistent(&m), EINVAL);
    IS(in_thread(die_holding, NULL), 0);
    IS(lock(), EOWNERDEAD);
    IS(pthread_mutex_consistent(&m), 0);
    IS(pthread_mutex_consistent(&m), EINVAL);
    IS(pthread_mutex_unlock(&m), 0);
    IS(lock(), 0);
    IS(pthread_mutex_unlock(&m), 0);
}

static int by_lock(void)
{
    return pthread_mutex_lock(&m);
}
static int by_try(void)
{
    return pthread_mutex_trylock(&m);
}
static int by_time(void)
{
    struct timespec past = {1, 0};
    return pthread_mutex_timedlock(&m, &past);
}

/* The waiter gets the mutex back from a thread that signalled and died. */
static int is_signalled, is_waiting;

static void *signal_and_die(void *arg)
{
    IS(pthread_mutex_lock(&m), 0);
    while (!is_waiting) {
        IS(pthread_cond_wait(&c, &m), 0);
    }
    is_signalled = 1;
    IS(pthread_cond_broadcast(&c), 0);
    return NULL;
}

static void wait_for_the_dead(void)
{
    pthread_t t;
    IS(pthread_create(&t, NULL, signal_and_die, NULL), 0);
    int r = pthread_mutex_lock(&m);
    is_waiting = 1;
    IS(r, 0);
    IS(pthread_cond_broadcast(&c), 0);
    while (!is_signalled) {
        r = pthread_cond_wait(&c, &m);
        CHECK(r == 0 || r == EOWNERDEAD);
    }
    IS(r, EOWNERDEAD);
    IS(pthread_mutex_consistent(&m), 0);
    IS(pthread_mutex_unlock(&m), 0);
    IS(pthread_join(t, NULL), 0);
}

int main(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK};
    for (int i = 0; i < 3; i++) {
        init_robust(types[i]);
        recover(by_lock);
        recover(by_try);
        recover(by_time);

        IS(in_thread(exit_holding, NULL), 0);
        IS(in_thread(die_holding_again, NULL), 0);
        IS(pthread_mutex_lock(&m), EOWNERDEAD);
        IS(pthread_mutex_unlock(&m), 0); /* not made consistent */
        IS(pthread_mutex_lock(&m), ENOTRECOVERABLE);
        IS(pthread_mutex_trylock(&m), ENOTRECOVERABLE);
        IS(pthread_mutex_destroy(&m), 0);
    }
    init_robust(PTHREAD_MUTEX_NORMAL);
    wait_for_the_dead();
    IS(pthread_mutex_destroy(&m), 0);

    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
    IS(pthread_mutex_consistent(&plain), EINVAL);
    return 0;
}
