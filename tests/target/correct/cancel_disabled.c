/* A thread that cannot be cancelled finishes its step first
 * cause:    none: the request stays pending until cancellation is enabled again
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int begun, finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    int old;
    for (;;) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        pthread_mutex_lock(&lock);
        begun++;
        pthread_mutex_unlock(&lock);
        usleep(100);
        pthread_mutex_lock(&lock);
        finished++;
        pthread_mutex_unlock(&lock);
        pthread_setcancelstate(old, NULL);
        pthread_testcancel();
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    void *end;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    usleep(1000);
    for (int i = 0; i < 2; i++)
        pthread_cancel(t[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], &end);
        assert(end == PTHREAD_CANCELED);
    }
    assert(begun == finished);
    return 0;
}
