/* Process-shared objects used by threads first, by a child later
 * cause:    none: the child and its parent take turns
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, it does not follow locks of other processes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_rwlock_t rw;
    pthread_spinlock_t spin;
    pthread_barrier_t both;
    sem_t items, done;
    int n, state, read;
} *m;

static void init(void)
{
    m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t ma;
    pthread_mutexattr_init(&ma);
    pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&m->lock, &ma);
    pthread_condattr_t ca;
    pthread_condattr_init(&ca);
    pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&m->changed, &ca);
    pthread_rwlockattr_t ra;
    pthread_rwlockattr_init(&ra);
    pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&m->rw, &ra);
    pthread_barrierattr_t ba;
    pthread_barrierattr_init(&ba);
    pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&m->both, &ba, 2);
    pthread_spin_init(&m->spin, PTHREAD_PROCESS_SHARED);
    sem_init(&m->items, 1, 0);
    sem_init(&m->done, 1, 0);
}

static void add(void)
{
    pthread_mutex_lock(&m->lock);
    m->n++;
    pthread_mutex_unlock(&m->lock);
    pthread_spin_lock(&m->spin);
    m->read++;
    pthread_spin_unlock(&m->spin);
    sem_post(&m->items);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        add();
    return arg;
}

static void child(void)
{
    for (int i = 0; i < 7; i++) /* six of the threads, one of the parent */
        sem_wait(&m->items);
    pthread_rwlock_wrlock(&m->rw); /* the parent has it to read, at the time of fork */
    pthread_rwlock_unlock(&m->rw);
    pthread_mutex_lock(&m->lock); /* the parent holds it at the time of fork */
    m->state = 2;
    pthread_cond_signal(&m->changed);
    while (m->state != 3)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    pthread_barrier_wait(&m->both);
    sem_post(&m->done);
    _exit(0);
}

int main(void)
{
    init();
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(m->n == 6);
    pthread_rwlock_rdlock(&m->rw);
    pthread_mutex_lock(&m->lock);
    m->state = 1;
    pid_t pid = fork();
    if (!pid)
        child();
    assert(pid > 0);
    pthread_mutex_unlock(&m->lock);
    pthread_rwlock_unlock(&m->rw);
    add();
    pthread_mutex_lock(&m->lock);
    while (m->state != 2)
        pthread_cond_wait(&m->changed, &m->lock);
    m->state = 3;
    pthread_cond_signal(&m->changed);
    pthread_mutex_unlock(&m->lock);
    pthread_barrier_wait(&m->both);
    sem_wait(&m->done);
    int status;
    assert(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}
