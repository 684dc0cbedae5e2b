/* A read that is restarted after a handler which writes to a pipe itself
 * text:   with SA_RESTART the read goes on as if nothing had happened, whatever the handler did
 * expect: exit 0
 */
#include "check.h"
#include <stdatomic.h>

static int data[2], self[2];
static atomic_int handled;

static void handler(int s)
{
    IS(write(self[1], "h", 1), 1);
    handled++;
}

static void *reader(void *arg)
{
    char c = 0;
    for (int i = 0; i < 3; i++) {
        IS(read(data[0], &c, 1), 1);
        IS(c, 'd');
    }
    return NULL;
}

int main(void)
{
    char c;
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL));
    OK(pipe(data));
    OK(pipe(self));
    pthread_t t = start(reader, NULL);
    for (int i = 0; i < 3; i++) {
        OK(pthread_kill(t, SIGUSR1));
        IS(read(self[0], &c, 1), 1);
        IS(write(data[1], "d", 1), 1);
    }
    join(t);
    IS(handled, 3);
    return 0;
}
