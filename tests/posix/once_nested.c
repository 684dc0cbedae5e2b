/* pthread_once: a routine may use another control
 * text:   controls are independent of each other
 * expect: exit 0
 */
#include "check.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int a, b;

static void init_inner(void) { b++; }

static void init_outer(void)
{
    OK(pthread_once(&inner, init_inner));
    IS(b, 1);
    a++;
}

static void *user(void *arg)
{
    OK(pthread_once(arg ? &outer : &inner, arg ? init_outer : init_inner));
    IS(b, 1);
    return NULL;
}

int main(void)
{
    pthread_t s = start(user, NULL), t = start(user, &a);
    join(s);
    join(t);
    OK(pthread_once(&outer, init_outer));
    IS(a, 1);
    IS(b, 1);
    return 0;
}
