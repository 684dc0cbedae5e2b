/* SIGEV_THREAD: every notification has a thread of its own
 * text:   as if the function were the start routine of a newly created thread: fresh thread-local
 *         storage, may call pthread_exit, destructors run after it, calls may overlap
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t done, second;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;
static __thread int is_used;

static void destroy(void *unused) { OK(sem_post(&done)); }

static void fresh(union sigval v)
{
    OK(is_used);
    is_used = 1;
    TRUE(pthread_getspecific(key) == NULL);
    OK(sem_post(&done));
}

static void leave(union sigval v)
{
    OK(sem_post(&done));
    pthread_exit(NULL);
}

static void with_key(union sigval v) { OK(pthread_setspecific(key, &key)); }

static void overlap(union sigval v)
{
    OK(pthread_mutex_lock(&lock));
    int call = ++calls;
    OK(pthread_mutex_unlock(&lock));
    if (call == 2)
        OK(sem_post(&second));
    if (call != 1)
        return;
    OK(sem_wait(&second));
    OK(sem_post(&done));
    OK(sem_post(&done));
}

static void small_stack(union sigval v)
{
    pthread_attr_t a;
    size_t size;
    int detached;
    OK(pthread_getattr_np(pthread_self(), &a));
    OK(pthread_attr_getstacksize(&a, &size));
    OK(pthread_attr_getdetachstate(&a, &detached));
    OK(pthread_attr_destroy(&a));
    TRUE(size >= 1 << 20 && size < 2 << 20);
    IS(detached, PTHREAD_CREATE_DETACHED);
    OK(sem_post(&done));
}

static void twice(void (*fn)(union sigval), pthread_attr_t *attr)
{
    timer_t t;
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD};
    struct itimerspec it = {{0, 2000000}, {0, 2000000}};
    ev.sigev_notify_function = fn;
    ev.sigev_notify_attributes = attr;
    OK(timer_create(CLOCK_MONOTONIC, &ev, &t));
    if (attr)
        OK(pthread_attr_destroy(attr));
    OK(timer_settime(t, 0, &it, NULL));
    OK(sem_wait(&done));
    OK(sem_wait(&done));
    OK(timer_delete(t));
    FAILS(timer_delete(t), EINVAL);
}

int main(void)
{
    pthread_attr_t attr;
    OK(sem_init(&done, 0, 0));
    OK(sem_init(&second, 0, 0));
    OK(pthread_key_create(&key, destroy));
    twice(fresh, NULL);
    twice(leave, NULL);
    twice(with_key, NULL);
    twice(overlap, NULL);
    OK(pthread_attr_init(&attr));
    OK(pthread_attr_setstacksize(&attr, 1 << 20));
    twice(small_stack, &attr);
    return 0;
}
