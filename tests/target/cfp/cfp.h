/* cfp.h: for the programs of this folder: functions that are worth telling, threads, locks. */
#include <pthread.h>
#include <semaphore.h>

static int data[3];
/* A function with accesses and a loop: not tiny, not without accesses. */
#define WORK(name, ...)                                                                            \
    static __attribute__((noinline)) void name(void)                                               \
    {                                                                                              \
        for (int i = 0; i < 3; i++)                                                                \
            data[i]++;                                                                             \
        __VA_ARGS__                                                                                \
    }
/* A thread: has no accesses of its own, so no pairs. */
#define THREAD(name, ...)                                                                          \
    static void *name(void *arg)                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
        return arg;                                                                                \
    }
#define LOCKED(lock, ...)                                                                          \
    pthread_mutex_lock(&lock);                                                                     \
    __VA_ARGS__                                                                                    \
    pthread_mutex_unlock(&lock);

static pthread_t thread_of[8];
static int threads;
static void start(void *(*f)(void *)) { pthread_create(&thread_of[threads++], 0, f, 0); }
static void join_all(void)
{
    while (threads)
        pthread_join(thread_of[--threads], 0);
}
