/* A sleep that a signal cuts short
 * cause:    none: nanosleep tells what was left, which is no more than was asked for
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int is_ready, is_hit;
static void on_usr1(int signo) { atomic_store(&is_hit, signo); }

static void *sleeper(void *arg)
{
    struct timespec want = {10, 0}, left = {0, 0};
    atomic_store(&is_ready, 1);
    int r = nanosleep(&want, &left);
    if (r) {
        assert(errno == EINTR && left.tv_sec <= 10 && left.tv_sec >= 0);
        assert(left.tv_sec < 10 || left.tv_nsec == 0);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction a = {.sa_handler = on_usr1};
    sigaction(SIGUSR1, &a, NULL);
    pthread_create(&t, NULL, sleeper, NULL);
    while (!atomic_load(&is_ready))
        ;
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    assert(atomic_load(&is_hit) == SIGUSR1);
    return 0;
}
