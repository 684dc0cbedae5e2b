/* read on a pipe: EINTR without SA_RESTART, restarted with it
 * text:   a handler interrupts a read that has transferred nothing, unless SA_RESTART is set
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static int p[2];
static atomic_int handled, done;
static void handler(int s) { handled++; }

static void *reader(void *arg)
{
    char c;
    ssize_t r = read(p[0], &c, 1);
    if (arg) {
        IS(r, 1);
    } else if (r < 0) {
        IS(errno, EINTR);
        done = 1;
        while (read(p[0], &c, 1) < 0)
            IS(errno, EINTR);
    }
    done = 1;
    return NULL;
}

int main(void)
{
    OK(pipe(p));
    for (long restart = 0; restart < 2; restart++) {
        struct sigaction sa = {.sa_handler = handler, .sa_flags = restart ? SA_RESTART : 0};
        OK(sigaction(SIGUSR1, &sa, NULL));
        handled = done = 0;
        pthread_t t = start(reader, (void *)restart);
        do { /* without SA_RESTART some signal comes during the read */
            OK(pthread_kill(t, SIGUSR1));
            sched_yield();
        } while (restart ? !handled : !done);
        IS(write(p[1], "x", 1), 1);
        join(t);
    }
    return 0;
}
