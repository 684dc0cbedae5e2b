/* mq_notify: a signal when a message arrives in an empty queue
 * text:   one process may register: EBUSY for another; the registration is used up by one notification
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>

int main(void)
{
    char name[64], buf[8];
    sigset_t set;
    siginfo_t info;
    struct mq_attr a = {.mq_maxmsg = 2, .mq_msgsize = 8};
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 6};
    struct timespec zero = {0, 0};
    snprintf(name, sizeof name, "/heddle-posix-mqn-%d", (int)getpid());
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    OK(sigprocmask(SIG_BLOCK, &set, NULL));
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
    TRUE(q != (mqd_t)-1);
    OK(mq_unlink(name));
    OK(mq_notify(q, &ev));
    FAILS(mq_notify(q, &ev), EBUSY);
    OK(mq_send(q, "x", 1, 0));
    IS(sigwaitinfo(&set, &info), SIGUSR1);
    IS(info.si_code, SI_MESGQ);
    IS(info.si_value.sival_int, 6);
    OK(mq_send(q, "y", 1, 0)); /* not registered any more, and not empty */
    FAILS(sigtimedwait(&set, NULL, &zero), EAGAIN);
    OK(mq_notify(q, &ev));
    OK(mq_notify(q, NULL));
    IS(mq_receive(q, buf, 8, NULL), 1);
    IS(mq_receive(q, buf, 8, NULL), 1);
    OK(mq_close(q));
    return 0;
}
