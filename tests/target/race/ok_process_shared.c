/* A process-shared mutex and condition in memory that threads and a child have in common
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

static struct shared {
    pthread_mutex_t m;
    pthread_cond_t c;
    int ready, sum;
} * s;

static void *worker(void *arg)
{
    pthread_mutex_lock(&s->m);
    s->sum += 2;
    s->ready++;
    pthread_cond_signal(&s->c);
    pthread_mutex_unlock(&s->m);
    return arg;
}

int main(void)
{
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;
    s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&ma);
    pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&ca);
    pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->m, &ma);
    pthread_cond_init(&s->c, &ca);
    pid_t p = fork();
    if (p == 0) {
        worker(NULL);
        _exit(0);
    }
    run_both(worker, worker);
    pthread_mutex_lock(&s->m);
    while (s->ready < 3)
        pthread_cond_wait(&s->c, &s->m);
    pthread_mutex_unlock(&s->m);
    waitpid(p, NULL, 0);
    return s->sum != 6;
}
