/* Unnamed semaphores: value, EAGAIN of trywait, EINVAL and EOVERFLOW at the limit
 * text:   init above SEM_VALUE_MAX is EINVAL; trywait at 0 is EAGAIN; a post beyond the
 *         maximum is EOVERFLOW and changes nothing
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>
#include <semaphore.h>

int main(void)
{
    sem_t s;
    int v;
    FAILS(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
    OK(sem_init(&s, 0, 2));
    OK(sem_getvalue(&s, &v));
    IS(v, 2);
    OK(sem_wait(&s));
    OK(sem_trywait(&s));
    FAILS(sem_trywait(&s), EAGAIN);
    OK(sem_getvalue(&s, &v));
    IS(v, 0);
    OK(sem_post(&s));
    OK(sem_getvalue(&s, &v));
    IS(v, 1);
    OK(sem_destroy(&s));
    OK(sem_init(&s, 0, SEM_VALUE_MAX));
    FAILS(sem_post(&s), EOVERFLOW);
    OK(sem_getvalue(&s, &v));
    IS(v, SEM_VALUE_MAX);
    OK(sem_destroy(&s));
    return 0;
}
