/* Process-shared mutexes and conditions, used by threads
 * cause:    none: every access is under the lock, every wait in a loop
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

static struct shared {
    pthread_mutex_t lock, robust;
    pthread_cond_t turned;
    int turn, passes;
} *m;

static void *player(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m->lock);
        while (m->turn != me)
            pthread_cond_wait(&m->turned, &m->lock);
        m->turn = !me;
        m->passes++;
        pthread_cond_broadcast(&m->turned);
        pthread_mutex_unlock(&m->lock);
    }
    return arg;
}

static void *dies(void *arg)
{
    pthread_mutex_lock(&m->robust);
    return arg;
}

static void *tries(void *arg)
{
    for (int i = 0; i < 3; i++)
        if (pthread_mutex_trylock(&m->lock) == 0)
            pthread_mutex_unlock(&m->lock);
    return arg;
}

int main(void)
{
    m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t ma;
    pthread_mutexattr_init(&ma);
    pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&m->lock, &ma);
    pthread_mutexattr_setrobust(&ma, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m->robust, &ma);
    pthread_condattr_t ca;
    pthread_condattr_init(&ca);
    pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&m->turned, &ca);
    pthread_t t[4];
    pthread_create(&t[0], NULL, player, (void *)0);
    pthread_create(&t[1], NULL, player, (void *)1);
    pthread_create(&t[2], NULL, dies, NULL);
    pthread_create(&t[3], NULL, tries, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(pthread_mutex_lock(&m->robust) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&m->robust) == 0);
    assert(pthread_mutex_unlock(&m->robust) == 0);
    assert(m->passes == 10);
    assert(pthread_cond_destroy(&m->turned) == 0 && pthread_mutex_destroy(&m->lock) == 0);
    munmap(m, sizeof *m);
    return 0;
}
