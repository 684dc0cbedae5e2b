/* Thread-specific data: destructors of non-null values at thread end
 * text:   at exit, for each key with a destructor and a value that is not NULL, the value
 *         is set to NULL and the destructor called with the old one
 * expect: exit 0
 */
#include "check.h"

static pthread_key_t key, other;
static int seen[3];

static void destroy(void *value)
{
    TRUE(pthread_getspecific(key) == NULL);
    seen[(long)value]++;
}

static void *user(void *arg)
{
    TRUE(pthread_getspecific(key) == NULL);
    OK(pthread_setspecific(key, arg));
    OK(pthread_setspecific(other, arg)); /* no destructor */
    TRUE(pthread_getspecific(key) == arg);
    if (arg == (void *)2)
        pthread_exit(NULL);
    return NULL;
}

static void *unset(void *arg)
{
    OK(pthread_setspecific(key, (void *)1));
    OK(pthread_setspecific(key, NULL));
    return NULL;
}

int main(void)
{
    OK(pthread_key_create(&key, destroy));
    OK(pthread_key_create(&other, NULL));
    pthread_t a = start(user, (void *)1), b = start(user, (void *)2);
    join(a);
    join(b);
    join(start(unset, NULL));
    IS(seen[0], 0);
    IS(seen[1], 1);
    IS(seen[2], 1);
    OK(pthread_key_delete(key));
    OK(pthread_key_delete(other));
    return 0;
}
