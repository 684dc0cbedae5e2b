/* pthread_create and pthread_join: argument, value, identity
 * text:   the start routine gets the argument; join gives what it returned or passed to
 *         pthread_exit; pthread_self in the thread equals the id stored by create
 * expect: exit 0
 */
#include "check.h"

static pthread_t ids[4];

static void *user(void *arg)
{
    long i = (long)arg;
    if (i % 2)
        pthread_exit((void *)(i + 100));
    return (void *)pthread_self();
}

int main(void)
{
    for (long i = 0; i < 4; i++)
        OK(pthread_create(&ids[i], NULL, user, (void *)i));
    for (long i = 0; i < 4; i++) {
        void *value = join(ids[i]);
        if (i % 2)
            IS((long)value, i + 100);
        else
            TRUE(pthread_equal((pthread_t)value, ids[i]));
    }
    TRUE(!pthread_equal(pthread_self(), ids[0]));
    OK(pthread_create(&ids[0], NULL, user, NULL));
    OK(pthread_join(ids[0], NULL));
    return 0;
}
