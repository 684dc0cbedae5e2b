/* Threads start children and collect them by pid
 * cause:    none: each waits for its own child
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int sum;

static void *worker(void *arg)
{
    int status, mine = (int)(long)arg;
    pid_t pid = fork();
    if (!pid)
        _exit(mine);
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
        sum += WEXITSTATUS(status);
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
