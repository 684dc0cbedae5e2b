/* A signal handler that takes the lock of the code it interrupts
 * cause:    self-deadlock: mutex locked in a signal handler
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or C before A: the window has two ends
 * preemptions: 2
 */
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void write_line(void)
{
    pthread_mutex_lock(&m); /* C */
    lines++;
    pthread_mutex_unlock(&m); /* B */
}

static void on_signal(int signo)
{
    write_line();
}

static void *worker(void *arg)
{
    write_line();
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, worker, NULL);
    pthread_kill(t, SIGUSR1); /* A */
    pthread_join(t, NULL);
    return 0;
}
