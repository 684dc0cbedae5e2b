/* A watchdog of 30 s beside a child that is stopped until another child lets it go on
 * cause:    none: both children are done within milliseconds of real time
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     12, each waits for real children
 * races:    none
 */
#include <pthread.h>
#include <signal.h>
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
    until.tv_sec += 30;
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
    pid_t stopped = fork();
    if (stopped == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    if (waitpid(stopped, &status, WUNTRACED) != stopped || !WIFSTOPPED(status))
        abort();
    pid_t other = fork();
    if (other == 0) {
        usleep(30000);
        kill(stopped, SIGCONT);
        _exit(0);
    }
    if (waitpid(stopped, &status, 0) != stopped || status)
        abort();
    if (waitpid(other, &status, 0) != other || status)
        abort();
    pthread_mutex_lock(&m);
    is_done = 1;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
