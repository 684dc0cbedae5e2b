/* A sleeper beside a thread that counts
 * cause:    none: the flag is atomic, and the sleeper's time comes however busy the other is
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int is_running = 1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n;

static void *count(void *arg)
{
    long calls = 0;
    pthread_mutex_lock(&m);
    n = 1;
    pthread_mutex_unlock(&m);
    while (atomic_load(&is_running)) {
        calls++;
        getpid();
    }
    assert(calls >= 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    pthread_mutex_lock(&m);
    n = 0;
    pthread_mutex_unlock(&m);
    usleep(1000);
    atomic_store(&is_running, 0);
    pthread_join(t, NULL);
    assert(n >= 0);
    return 0;
}
