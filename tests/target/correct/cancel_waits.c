/* Threads cancelled in all kinds of waits, with cleanup
 * cause:    none: every wait is a cancellation point, every cleanup runs
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int cleaned;
static int data[2];
static sem_t sem;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void clean(void *arg)
{
    if (arg)
        pthread_mutex_unlock(arg);
    atomic_fetch_add(&cleaned, 1);
}

static void *waits(void *arg)
{
    char c;
    struct pollfd p = {.fd = data[0], .events = POLLIN};
    long how = (long)arg;
    if (how == 2)
        pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, how == 2 ? &lock : NULL);
    switch (how) {
    case 0: read(data[0], &c, 1); break;
    case 1: sem_wait(&sem); break;
    case 2:
        for (;;)
            pthread_cond_wait(&cond, &lock);
    case 3: poll(&p, 1, -1); break;
    case 4: pause(); break;
    case 5: sleep(1000); break;
    }
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t t[6];
    void *value;
    assert(pipe(data) == 0);
    sem_init(&sem, 0, 0);
    for (long i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, waits, (void *)i);
    for (int i = 0; i < 6; i++)
        pthread_cancel(t[i]);
    for (int i = 0; i < 6; i++)
        assert(pthread_join(t[i], &value) == 0 && value == PTHREAD_CANCELED);
    assert(cleaned <= 6);
    assert(pthread_mutex_trylock(&lock) == 0);
    return 0;
}
