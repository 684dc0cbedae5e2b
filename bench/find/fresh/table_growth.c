/* A table that two threads enlarge at the same time
 * cause:    what one of them put in between is lost
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct table {
    int size, used;
    int at[16];
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct table *_Atomic now;

static struct table *enlarged(const struct table *old)
{
    struct table *t = calloc(1, sizeof *t);
    t->size = old->size * 2;
    for (int i = 0; i < old->used; i++)
        t->at[t->used++] = old->at[i];
    return t;
}

static void put(int value)
{
    struct table *t = now;
    if (t->used == t->size) {
        struct table *larger = enlarged(t); /* not under the lock: it takes long */
        pthread_mutex_lock(&m);
        if (now->size < larger->size)
            now = larger;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    t = now;
    t->at[t->used++] = value;
    pthread_mutex_unlock(&m);
}

static void *client(void *arg)
{
    for (int i = 0; i < 3; i++)
        put((int)(long)arg * 10 + i);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    now = calloc(1, sizeof *now);
    now->size = 4;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(now->used == 6);
    return 0;
}
