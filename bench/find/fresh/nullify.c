/* A connection that a timer closes while a worker is at it
 * cause:    use after it is gone: tested under the lock, used behind it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   300 runs
 */
#include <pthread.h>

struct connection {
    char buffer[64];
    int used;
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct connection *volatile current;
static int idle;

static void *worker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&m);
        int open = current != NULL;
        idle = 0;
        pthread_mutex_unlock(&m);
        if (!open)
            break;
        current->used += i;
    }
    return arg;
}

static void *timer(void *arg)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&m);
        if (++idle > 2) {
            current = NULL;
            idle = 0;
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    static struct connection c;
    current = &c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, timer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
