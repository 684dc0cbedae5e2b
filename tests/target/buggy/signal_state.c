/* A signal handler that finds a queue half updated
 * cause:    signal handler looks at state in the middle of its update
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 0
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static volatile sig_atomic_t entered, left;
static atomic_int total; /* shared with other threads; the two above are not */

static void report(int signo)
{
    assert(entered == left);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        entered++;
        atomic_fetch_add(&total, 1); /* B */
        left++;
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, report);
    pthread_create(&t, NULL, worker, NULL);
    atomic_fetch_add(&total, 1);
    pthread_kill(t, SIGUSR1); /* A */
    pthread_join(t, NULL);
    return 0;
}
