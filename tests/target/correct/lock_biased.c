/* Lock elision done right: an owner with a cheap path, revoked by a handshake (Dekker with seq_cst)
 * cause:    none: owner and revoker see each other's flag (Dekker)
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int owner_in, revoked;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void owner_add(void)
{
    atomic_store(&owner_in, 1);
    if (atomic_load(&revoked)) {
        atomic_store(&owner_in, 0);
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
        return;
    }
    n++;
    atomic_store(&owner_in, 0);
}
static void *other(void *arg)
{
    pthread_mutex_lock(&m);
    atomic_store(&revoked, 1);
    while (atomic_load(&owner_in))
        sched_yield();
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, other, NULL);
    pthread_create(&u, NULL, other, NULL);
    for (int i = 0; i < 4; i++)
        owner_add();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(n == 6);
    return 0;
}
