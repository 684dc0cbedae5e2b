/* Static initializers of the three kinds of mutex behave like their attributes
 * text:   PTHREAD_{RECURSIVE,ERRORCHECK}_MUTEX_INITIALIZER_NP and the default one need
 *         no call of init
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int n;

static void *add(void *arg)
{
    for (int i = 0; i < 3; i++) {
        OK(pthread_mutex_lock(&normal));
        OK(pthread_mutex_lock(&recursive));
        OK(pthread_mutex_lock(&recursive));
        OK(pthread_mutex_lock(&checking));
        IS(pthread_mutex_lock(&checking), EDEADLK);
        n++;
        OK(pthread_mutex_unlock(&checking));
        OK(pthread_mutex_unlock(&recursive));
        OK(pthread_mutex_unlock(&recursive));
        OK(pthread_mutex_unlock(&normal));
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(add, NULL), b = start(add, NULL);
    join(a);
    join(b);
    IS(n, 6);
    return 0;
}
