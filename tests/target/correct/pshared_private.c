/* The attribute process-shared in private memory, over a fork
 * cause:    none: private memory is copied: child and parent have their own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, it does not follow locks over a fork of a program with threads
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock;
static int n;

static void *worker(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_mutexattr_t ma;
    pthread_mutexattr_init(&ma);
    pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&lock, &ma);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    int before = n;
    pid_t pid = fork();
    if (!pid) { /* it has what its parent held */
        n = -1;
        pthread_mutex_unlock(&lock);
        _exit(0);
    }
    assert(pid > 0 && n == before);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int status;
    assert(n == 8 && waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}
