/* Reading from a terminal whose VMIN is 0: a read without input ends by its time, with 0
 * text:   case C and D of non-canonical mode: MIN is 0; read returns 0 if the time passes
 * expect: exit 0
 * flags:  -lutil
 */
#include "check.h"
#include <pty.h>
#include <termios.h>

static int master, slave;

static void *reads(void *arg)
{
    char text[8];
    IS(read(slave, text, sizeof text), 0);
    return NULL;
}

static void run(cc_t time)
{
    struct termios t;
    pthread_t a, b;
    OK(tcgetattr(slave, &t));
    cfmakeraw(&t);
    t.c_cc[VMIN] = 0;
    t.c_cc[VTIME] = time;
    OK(tcsetattr(slave, TCSANOW, &t));
    OK(pthread_create(&a, NULL, reads, NULL));
    OK(pthread_create(&b, NULL, reads, NULL));
    OK(pthread_join(a, NULL));
    OK(pthread_join(b, NULL));
}

int main(void)
{
    OK(openpty(&master, &slave, NULL, NULL, NULL));
    run(1);
    run(0);
    return 0;
}
