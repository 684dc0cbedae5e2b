/* open of a FIFO: EINTR after a handler without SA_RESTART
 * text:   an open that waits for the other end is interrupted by a handler
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

static atomic_int done;
static void handler(int n) { }

static void *user(void *arg)
{
    FAILS(open("eintr-fifo.tmp", O_RDONLY), EINTR);
    done = 1;
    return NULL;
}

int main(void)
{
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    unlink("eintr-fifo.tmp");
    OK(mkfifo("eintr-fifo.tmp", 0600));
    pthread_t t = start(user, NULL);
    while (!done) {
        OK(pthread_kill(t, SIGUSR1));
        sched_yield();
    }
    join(t);
    OK(unlink("eintr-fifo.tmp"));
    return 0;
}
