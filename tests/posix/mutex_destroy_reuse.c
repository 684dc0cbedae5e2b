/* A destroyed mutex may be initialized again with another type
 * text:   after destroy the object is uninitialized; init makes it usable anew
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m;

static void *user(void *arg)
{
    OK(pthread_mutex_lock(&m));
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_NORMAL};
    for (int i = 0; i < 4; i++) {
        pthread_mutexattr_t a;
        OK(pthread_mutexattr_init(&a));
        OK(pthread_mutexattr_settype(&a, types[i]));
        OK(pthread_mutex_init(&m, &a));
        OK(pthread_mutexattr_destroy(&a));
        pthread_t t = start(user, NULL);
        OK(pthread_mutex_lock(&m));
        IS(pthread_mutex_trylock(&m), types[i] == PTHREAD_MUTEX_RECURSIVE ? 0 : EBUSY);
        if (types[i] == PTHREAD_MUTEX_RECURSIVE)
            OK(pthread_mutex_unlock(&m));
        OK(pthread_mutex_unlock(&m));
        join(t);
        OK(pthread_mutex_destroy(&m));
    }
    return 0;
}
