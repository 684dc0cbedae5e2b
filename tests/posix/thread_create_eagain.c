/* pthread_create: an error is returned, not set, and no thread is made
 * text:   if the stack cannot be had, EAGAIN is returned and the start routine not called
 * expect: exit 0
 */
#include "check.h"

static int ran;

static void *user(void *arg)
{
    ran = 1;
    return NULL;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t;
    OK(pthread_attr_init(&a));
    OK(pthread_attr_setstacksize(&a, (size_t)1 << 46));
    errno = 0;
    IS(pthread_create(&t, &a, user, NULL), EAGAIN);
    IS(ran, 0);
    OK(pthread_attr_destroy(&a));
    join(start(user, NULL));
    IS(ran, 1);
    return 0;
}
