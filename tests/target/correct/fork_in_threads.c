/* Threads that fork and wait for their own children
 * cause:    none: each waits for its own child by number
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg)
{
    int status;
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0)
        _exit((int)(long)arg);
    assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    pthread_mutex_lock(&lock);
    sum += WEXITSTATUS(status);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(sum == 6);
    return 0;
}
