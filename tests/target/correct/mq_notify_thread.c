/* A message queue that calls a function in a thread of libc
 * cause:    none: the function takes the message and posts the semaphore
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t q;
static sem_t done;
static char got;

static void on_message(union sigval v)
{
    char buf[8];
    assert(v.sival_int == 5);
    assert(mq_receive(q, buf, sizeof buf, NULL) == 1);
    got = buf[0];
    sem_post(&done);
}

int main(void)
{
    char name[64];
    snprintf(name, sizeof name, "/heddle-correct-%d", (int)getpid());
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_message};
    ev.sigev_value.sival_int = 5;
    sem_init(&done, 0, 0);
    q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    assert(q != (mqd_t)-1);
    mq_unlink(name);
    assert(mq_notify(q, &ev) == 0);
    assert(mq_send(q, "x", 1, 0) == 0);
    sem_wait(&done);
    assert(got == 'x');
    mq_close(q);
    return 0;
}
