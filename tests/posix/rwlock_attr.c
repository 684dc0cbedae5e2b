/* rwlock attributes: pshared and kind
 * text:   the attributes keep their values; unknown ones are EINVAL
 * expect: exit 0
 */
#include "check.h"

int main(void)
{
    pthread_rwlockattr_t a;
    pthread_rwlock_t l;
    int v;
    OK(pthread_rwlockattr_init(&a));
    OK(pthread_rwlockattr_getpshared(&a, &v));
    IS(v, PTHREAD_PROCESS_PRIVATE);
    IS(pthread_rwlockattr_setpshared(&a, 77), EINVAL);
    OK(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    OK(pthread_rwlockattr_getpshared(&a, &v));
    IS(v, PTHREAD_PROCESS_SHARED);
    OK(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
    OK(pthread_rwlockattr_getkind_np(&a, &v));
    IS(v, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    IS(pthread_rwlockattr_setkind_np(&a, 42), EINVAL);
    OK(pthread_rwlock_init(&l, &a));
    OK(pthread_rwlock_rdlock(&l));
    OK(pthread_rwlock_unlock(&l));
    OK(pthread_rwlock_destroy(&l));
    OK(pthread_rwlockattr_destroy(&a));
    return 0;
}
