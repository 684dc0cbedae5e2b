/* Destructors that set values again are called PTHREAD_DESTRUCTOR_ITERATIONS times
 * text:   if values are left after the destructors ran, they are called again, at
 *         least that many times; then an implementation may stop, as glibc does
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>

static pthread_key_t key;
static int calls;

static void again(void *value)
{
    calls++;
    OK(pthread_setspecific(key, value));
}

static void *user(void *arg)
{
    OK(pthread_setspecific(key, &calls));
    return NULL;
}

int main(void)
{
    OK(pthread_key_create(&key, again));
    join(start(user, NULL));
    IS(calls, PTHREAD_DESTRUCTOR_ITERATIONS);
    return 0;
}
