/* A fork while threads wait for process-shared objects
 * cause:    none: the child gives them what they wait for
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
    sem_t sem;
    int state;
} *m;

static void *waits_cond(void *arg)
{
    pthread_mutex_lock(&m->lock);
    while (!m->state)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    return arg;
}

static void *waits_sem(void *arg)
{
    sem_wait(&m->sem);
    return arg;
}

int main(void)
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
    sem_init(&m->sem, 1, 0);
    pthread_t t[3];
    pthread_create(&t[0], NULL, waits_cond, NULL);
    pthread_create(&t[1], NULL, waits_sem, NULL);
    pthread_create(&t[2], NULL, waits_cond, NULL);
    pid_t pid = fork();
    if (!pid) {
        pthread_mutex_lock(&m->lock);
        m->state = 1;
        pthread_cond_broadcast(&m->changed);
        pthread_mutex_unlock(&m->lock);
        sem_post(&m->sem);
        _exit(0);
    }
    assert(pid > 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    int status;
    assert(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}
