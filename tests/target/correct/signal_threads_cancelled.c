/* A timer expires while threads are cancelled: one that is still there runs the handler
 * cause:    none: a signal to the process is not lost with a thread that is cancelled
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, it runs handlers late, and not in a thread that is cancelled
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t rang;

static void on_alarm(int sig) { rang = 1; }

static void *work(void *arg)
{
    for (;;)
        pause();
}

int main(void)
{
    struct itimerval once = {.it_value = {0, 100}};
    pthread_t t[3];
    signal(SIGALRM, on_alarm);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
    for (int i = 0; i < 3; i++)
        pthread_cancel(t[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    while (!rang)
        sched_yield();
    return 0;
}
