/* Two locks in any order, taken with trylock and given back
 * cause:    none: nobody waits for a lock while holding one
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int moved;

static void *worker(void *arg)
{
    int first = arg != NULL;
    for (int i = 0; i < 3; i++) {
        for (;;) {
            pthread_mutex_lock(&lock[first]);
            if (!pthread_mutex_trylock(&lock[!first]))
                break;
            pthread_mutex_unlock(&lock[first]);
            sched_yield();
        }
        moved++;
        pthread_mutex_unlock(&lock[0]);
        pthread_mutex_unlock(&lock[1]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, &moved);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(moved == 6);
    return 0;
}
