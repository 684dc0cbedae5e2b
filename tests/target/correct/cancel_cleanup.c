/* A cancelled thread that leaves everything in order
 * cause:    none: cleanup handlers give the lock and the slot back
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int slots = 1, cleaned;

static void unlock(void *arg)
{
    pthread_mutex_unlock(arg);
}

static void give_back(void *arg)
{
    slots++; /* the lock is held: handlers run in reverse order */
    cleaned++;
}

static void *worker(void *arg)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    slots--;
    pthread_cleanup_push(give_back, NULL);
    pthread_setcancelstate(state, NULL);
    for (;;)
        pthread_cond_wait(&never, &m);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    void *how;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_cancel(t[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], &how);
        assert(how == PTHREAD_CANCELED);
    }
    pthread_mutex_lock(&m);
    assert(slots == 1 && cleaned == 2);
    pthread_mutex_unlock(&m);
    return 0;
}
