/* Threads that libc makes for itself: several at a time, while others run
 * text:   a library may make threads by the function it finds in libc; they share locks and
 *         semaphores with the program's threads, and all of them come to their end
 * expect: exit 0
 */
#include "check.h"
#include <dlfcn.h>
#include <semaphore.h>

enum { N = 6, ROUNDS = 3 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static int count;

static void *add(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        OK(pthread_mutex_lock(&m));
        count++;
        OK(pthread_mutex_unlock(&m));
    }
    OK(sem_post(&done));
    return NULL;
}

int main(void)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    TRUE(libc);
    int (*make)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&make = dlsym(libc, "pthread_create");
    TRUE(make);
    OK(sem_init(&done, 0, 0));
    pthread_t own = start(add, NULL), t[N];
    pthread_attr_t detached;
    OK(pthread_attr_init(&detached));
    OK(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED));
    for (int i = 0; i < N; i++)
        OK(make(&t[i], &detached, add, NULL));
    for (int i = 0; i < N + 1; i++)
        OK(sem_wait(&done));
    join(own);
    OK(pthread_mutex_lock(&m));
    IS(count, (N + 1) * ROUNDS);
    OK(pthread_mutex_unlock(&m));
    return 0;
}
