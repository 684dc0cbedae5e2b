/* Objects marked process-shared: in private memory, and between parent and
 * child in shared memory.
 * Not controlled: fork. */
#include "check.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t m;
    pthread_cond_t c;
    pthread_rwlock_t rw;
    sem_t ping, pong;
    int counter, turn;
};

static void init(struct shared *s)
{
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;
    pthread_rwlockattr_t ra;
    IS(pthread_mutexattr_init(&ma), 0);
    IS(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED), 0);
    IS(pthread_mutex_init(&s->m, &ma), 0);
    IS(pthread_condattr_init(&ca), 0);
    IS(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED), 0);
    IS(pthread_cond_init(&s->c, &ca), 0);
    IS(pthread_rwlockattr_init(&ra), 0);
    IS(pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED), 0);
    IS(pthread_rwlock_init(&s->rw, &ra), 0);
    IS(sem_init(&s->ping, 1, 0), 0);
    IS(sem_init(&s->pong, 1, 0), 0);
    s->counter = s->turn = 0;
}

static void *other_side(void *arg)
{
    struct shared *s = arg;
    for (int i = 0; i < 10; i++) {
        IS(pthread_mutex_lock(&s->m), 0);
        while (s->turn != 1)
            IS(pthread_cond_wait(&s->c, &s->m), 0);
        s->turn = 0;
        s->counter++;
        IS(pthread_cond_broadcast(&s->c), 0);
        IS(pthread_mutex_unlock(&s->m), 0);
        IS(sem_wait(&s->ping), 0);
        IS(pthread_rwlock_wrlock(&s->rw), 0);
        s->counter++;
        IS(pthread_rwlock_unlock(&s->rw), 0);
        IS(sem_post(&s->pong), 0);
    }
    return NULL;
}

static void this_side(struct shared *s)
{
    for (int i = 0; i < 10; i++) {
        IS(pthread_mutex_lock(&s->m), 0);
        s->turn = 1;
        IS(pthread_cond_broadcast(&s->c), 0);
        while (s->turn != 0) {
            struct timespec later = in_ms(CLOCK_REALTIME, 10000);
            int r = pthread_cond_timedwait(&s->c, &s->m, &later);
            CHECK(r == 0 || r == ETIMEDOUT);
        }
        IS(pthread_mutex_unlock(&s->m), 0);
        IS(sem_post(&s->ping), 0);
        struct timespec later = in_ms(CLOCK_REALTIME, 10000);
        if (sem_timedwait(&s->pong, &later))
            IS(sem_wait(&s->pong), 0);
        IS(pthread_rwlock_rdlock(&s->rw), 0);
        IS(s->counter, 2 * (i + 1));
        IS(pthread_rwlock_unlock(&s->rw), 0);
    }
}

static void between_threads(struct shared *s)
{
    pthread_t t;
    IS(pthread_create(&t, NULL, other_side, s), 0);
    this_side(s);
    IS(pthread_join(t, NULL), 0);
}

static void between_processes(struct shared *s)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        other_side(s);
        _exit(0);
    }
    this_side(s);
    int status = -1;
    IS(waitpid(child, &status, 0), child);
    IS(status, 0);
}

/* A named semaphore made before the child is made. */
static void named(void)
{
    char name[64];
    snprintf(name, sizeof name, "/heddle-test-p-%d", (int)getpid());
    sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    CHECK(s != SEM_FAILED);
    IS(sem_unlink(name), 0);
    IS(sem_post(s), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        IS(sem_wait(s), 0);
        IS(sem_wait(s), 0);
        FAILS(sem_trywait(s), EAGAIN);
        IS(sem_post(s), 0);
        _exit(0);
    }
    int status = -1;
    IS(waitpid(child, &status, 0), child);
    IS(status, 0);
    IS(sem_wait(s), 0);
    FAILS(sem_trywait(s), EAGAIN);
    IS(sem_close(s), 0);
}

int main(void)
{
    static struct shared here;
    init(&here);
    between_threads(&here);
    struct shared *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(s != MAP_FAILED);
    named();
    init(s);
    between_processes(s);
    return 0;
}
