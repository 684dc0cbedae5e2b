/* A robust mutex whose owner died
 * cause:    none: the next owner is told, repairs the state and says so
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, libtsan does not see that a dying owner gives the lock up
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int x, y; /* equal whenever the lock is free and consistent */

static void enter(void)
{
    if (pthread_mutex_lock(&m) == EOWNERDEAD) {
        y = x;
        pthread_mutex_consistent(&m);
    }
}

static void *dies(void *arg)
{
    enter();
    x++;
    return arg;
}

static void *lives(void *arg)
{
    enter();
    assert(x == y);
    x++;
    y++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t d, l;
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &robust);
    pthread_create(&d, NULL, dies, NULL);
    pthread_create(&l, NULL, lives, NULL);
    pthread_join(d, NULL);
    pthread_join(l, NULL);
    enter();
    assert(x == 2 && y == 2);
    pthread_mutex_unlock(&m);
    return 0;
}
