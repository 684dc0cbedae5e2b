/* Thread-local variables: each thread has its own, initialized
 * text:   _Thread_local objects have thread storage duration; their initial value is
 *         there at the start of each thread
 * expect: exit 0
 */
#include "check.h"

static _Thread_local int with_value = 7, zero;
static _Thread_local char big[5000];
static int *addresses[2];

static void *user(void *arg)
{
    IS(with_value, 7);
    IS(zero, 0);
    for (unsigned i = 0; i < sizeof big; i++)
        IS(big[i], 0);
    with_value += (int)(long)arg;
    zero--;
    memset(big, 1, sizeof big);
    addresses[(long)arg] = &with_value;
    IS(with_value, 7 + (long)arg);
    return NULL;
}

int main(void)
{
    with_value = 1;
    pthread_t a = start(user, (void *)0), b = start(user, (void *)1);
    join(a);
    join(b);
    IS(with_value, 1);
    IS(zero, 0);
    TRUE(addresses[0] != &with_value && addresses[1] != &with_value);
    return 0;
}
