/* The only thread counts until an alarm, and until a signal of its child, then makes others
 * cause:    none: the signals end both loops
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * runs:     6, each counts for a while
 * races:    none
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf out;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void leave(int s) { siglongjmp(out, s); }

static void count_for_ever(void)
{
    for (volatile unsigned long k = 0;; k++)
        ; /* no call, no shared memory */
}

static void *user(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    signal(SIGALRM, leave);
    signal(SIGUSR1, leave);
    if (sigsetjmp(out, 1) == 0) {
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 100000}}, NULL);
        count_for_ever();
    }
    pid_t volatile pid = -1;
    if (sigsetjmp(out, 1) == 0) {
        pid_t parent = getpid();
        pid = fork();
        if (pid == 0) {
            usleep(10000);
            kill(parent, SIGUSR1);
            _exit(0);
        }
        count_for_ever();
    }
    if (waitpid(pid, NULL, 0) != pid)
        abort();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 2;
}
