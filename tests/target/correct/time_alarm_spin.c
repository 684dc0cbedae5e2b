/* An alarm ends a loop
 * cause:    none: SIGALRM comes after a second of virtual time, spinning or not
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;
static void on_alarm(int signo) { is_over = signo; }

static void *nap(void *arg)
{
    sigset_t s; /* the signal is main's */
    sigfillset(&s);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    usleep(200);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction a = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &a, NULL);
    pthread_create(&t, NULL, nap, NULL);
    alarm(1);
    while (!is_over)
        ;
    pthread_join(t, NULL);
    return is_over != SIGALRM;
}
