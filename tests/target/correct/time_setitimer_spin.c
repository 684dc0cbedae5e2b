/* An interval timer ticks while the program spins
 * cause:    none: the handler counts, the loop waits for five ticks
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_int ticks;
static void on_alarm(int signo) { atomic_fetch_add(&ticks, signo == SIGALRM); }

static void *spin(void *arg)
{
    while (atomic_load(&ticks) < 5)
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction a = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 200000}, {0, 200000}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &a, NULL);
    pthread_create(&t, NULL, spin, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    pthread_join(t, NULL);
    setitimer(ITIMER_REAL, &off, NULL);
    return 0;
}
