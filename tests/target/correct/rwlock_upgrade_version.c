/* A reader that wants to write lets go and looks at the version again
 * cause:    none: nobody waits for a write lock while holding a read lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int version, value;

static void *worker(void *arg)
{
    for (int done = 0; done < 2;) {
        pthread_rwlock_rdlock(&lock);
        int seen = version, next = value + 1;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        if (version == seen) {
            value = next;
            version++;
            done++;
        }
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(value == 4 && version == 4);
    return 0;
}
