/* rwlock that prefers writers: a reader waits behind a waiting writer, and all end
 * text:   the kind decides who goes first; exclusion holds for every kind
 * expect: exit 0
 */
#include "check.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int value;

static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        OK(pthread_rwlock_wrlock(&l));
        value++;
        value++;
        OK(pthread_rwlock_unlock(&l));
    }
    return NULL;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 3; i++) {
        OK(pthread_rwlock_rdlock(&l));
        IS(value % 2, 0);
        OK(pthread_rwlock_unlock(&l));
    }
    return NULL;
}

int main(void)
{
    pthread_t a = start(writer, NULL), b = start(reader, NULL), c = start(writer, NULL),
              d = start(reader, NULL);
    join(a);
    join(b);
    join(c);
    join(d);
    IS(value, 12);
    return 0;
}
