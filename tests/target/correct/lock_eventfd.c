/* An eventfd that counts free places
 * cause:    none: reads take one unit each, writes give it back
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int places;
static _Atomic int inside, most;

static void *worker(void *arg)
{
    eventfd_t one;
    for (int i = 0; i < 2; i++) {
        if (eventfd_read(places, &one))
            return NULL;
        int now = atomic_fetch_add(&inside, 1) + 1;
        for (int seen = atomic_load(&most); seen < now && !atomic_compare_exchange_weak(&most, &seen, now);)
            ;
        atomic_fetch_sub(&inside, 1);
        eventfd_write(places, 1);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    places = eventfd(2, EFD_SEMAPHORE);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(most >= 1 && most <= 2 && inside == 0);
    close(places);
    return 0;
}
