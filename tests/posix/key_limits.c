/* Keys: at least PTHREAD_KEYS_MAX can be had, EAGAIN after that, EINVAL if deleted
 * text:   key_create fails with EAGAIN when the limit is met; a deleted key can be
 *         created again and starts with NULL in every thread
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>

static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];

int main(void)
{
    int n = 0, r = 0;
    while (n <= PTHREAD_KEYS_MAX && (r = pthread_key_create(&keys[n], NULL)) == 0)
        n++;
    IS(r, EAGAIN);
    TRUE(n > 900 && n <= PTHREAD_KEYS_MAX);
    OK(pthread_setspecific(keys[n - 1], &r));
    OK(pthread_key_delete(keys[n - 1]));
    IS(pthread_key_delete(keys[n - 1]), EINVAL);
    IS(pthread_setspecific(keys[n - 1], &r), EINVAL);
    OK(pthread_key_create(&keys[n - 1], NULL));
    TRUE(pthread_getspecific(keys[n - 1]) == NULL);
    for (int i = 0; i < n; i++)
        OK(pthread_key_delete(keys[i]));
    IS(pthread_key_delete(100000), EINVAL);
    return 0;
}
