/* C11 thread-specific storage: destructors and values
 * text:   tss_set stores per thread; destructors run at the end of a thread
 * expect: exit 0
 */
#include "check.h"
#include <threads.h>

static tss_t key;
static int sum;

static void destroy(void *v) { sum += (int)(long)v; }

static int user(void *arg)
{
    TRUE(tss_get(key) == NULL);
    IS(tss_set(key, arg), thrd_success);
    TRUE(tss_get(key) == arg);
    return 0;
}

int main(void)
{
    thrd_t t;
    IS(tss_create(&key, destroy), thrd_success);
    for (long i = 1; i <= 3; i++) {
        IS(thrd_create(&t, user, (void *)i), thrd_success);
        IS(thrd_join(t, NULL), thrd_success);
    }
    IS(sum, 6);
    TRUE(tss_get(key) == NULL);
    tss_delete(key);
    return 0;
}
