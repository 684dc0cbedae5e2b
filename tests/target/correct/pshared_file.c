/* Process-shared objects in a file that nobody else maps
 * cause:    none: each phase is between two barriers
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define N 3

static struct shared {
    pthread_barrier_t barrier;
    pthread_rwlock_t rw;
    pthread_spinlock_t spin;
    sem_t sem;
    int value, sum, spun;
} *m;

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_wrlock(&m->rw);
        m->value++;
        pthread_rwlock_unlock(&m->rw);
        pthread_barrier_wait(&m->barrier);
        pthread_rwlock_rdlock(&m->rw);
        assert(m->value == (i + 1) * N);
        pthread_rwlock_unlock(&m->rw);
        sem_wait(&m->sem);
        m->sum++;
        sem_post(&m->sem);
        pthread_spin_lock(&m->spin);
        m->spun++;
        pthread_spin_unlock(&m->spin);
        pthread_barrier_wait(&m->barrier);
    }
    return arg;
}

int main(void)
{
    char name[] = "/tmp/pshared_file.XXXXXX";
    int fd = mkstemp(name);
    assert(fd >= 0 && unlink(name) == 0 && ftruncate(fd, sizeof *m) == 0);
    m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert(m != MAP_FAILED);
    pthread_barrierattr_t ba;
    pthread_barrierattr_init(&ba);
    pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&m->barrier, &ba, N);
    pthread_rwlockattr_t ra;
    pthread_rwlockattr_init(&ra);
    pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&m->rw, &ra);
    pthread_spin_init(&m->spin, PTHREAD_PROCESS_SHARED);
    sem_init(&m->sem, 1, 1);
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(m->sum == 3 * N && m->spun == 3 * N);
    pthread_barrier_destroy(&m->barrier);
    pthread_rwlock_destroy(&m->rw);
    pthread_spin_destroy(&m->spin);
    sem_destroy(&m->sem);
    return 0;
}
