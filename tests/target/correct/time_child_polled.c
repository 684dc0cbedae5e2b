/* A watchdog of 20 s beside a child of 0.4 s that is polled for
 * cause:    none: a loop around waitpid(WNOHANG) takes the child's time, not more
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     12, each waits for a real child
 * races:    none
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int is_done;

static void *watchdog(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&m);
    int err = 0;
    while (!is_done && !err)
        err = pthread_cond_timedwait(&done, &m, &until);
    if (!is_done)
        abort();
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    int status;
    pthread_create(&t, NULL, watchdog, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(400000);
        _exit(0);
    }
    while (waitpid(pid, &status, WNOHANG) == 0)
        sched_yield();
    pthread_mutex_lock(&m);
    is_done = 1;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return status;
}
