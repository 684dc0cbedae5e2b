/* Every blocking call: EINTR after a handler without SA_RESTART
 * text:   each fails with EINTR if a handler without SA_RESTART ran while it waited
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

static int p[2], full[2], s[2], listener, locked, msgs, sems;
static mqd_t mq;
static sem_t sem;
static atomic_int done;
static char big[1 << 20];
static void handler(int n) { }

static void *user(void *arg)
{
    char c[8];
    struct { long type; char text[8]; } m;
    struct sembuf down = {0, -1, 0};
    struct timespec hour = in_ms(CLOCK_REALTIME, 3600000), rel = {3600, 0};
    struct iovec v = {c, 1};
    struct msghdr mh = {.msg_iov = &v, .msg_iovlen = 1};
    sigset_t none, usr2;
    sigemptyset(&none);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    switch ((long)arg) {
    case 0: FAILS(read(p[0], c, 1), EINTR); break;
    case 1: FAILS(write(full[1], big, 1), EINTR); break;
    case 2: FAILS(recv(s[0], c, 1, 0), EINTR); break;
    case 3: FAILS(accept(listener, NULL, NULL), EINTR); break;
    case 4: FAILS(flock(locked, LOCK_EX), EINTR); break;
    case 5: FAILS(msgrcv(msgs, &m, 8, 0, 0), EINTR); break;
    case 6: FAILS(semop(sems, &down, 1), EINTR); break;
    case 7: FAILS(mq_receive(mq, c, 8, NULL), EINTR); break;
    case 8: FAILS(sem_wait(&sem), EINTR); break;
    case 9: FAILS(sem_timedwait(&sem, &hour), EINTR); break;
    case 10: FAILS(mq_timedreceive(mq, c, 8, NULL, &hour), EINTR); break;
    case 11: FAILS(recvmsg(s[0], &mh, 0), EINTR); break;
    case 12: FAILS(readv(p[0], &v, 1), EINTR); break;
    case 13: FAILS(sigsuspend(&none), EINTR); break;
    case 14: FAILS(sigwaitinfo(&usr2, NULL), EINTR); break;
    case 15: FAILS(semtimedop(sems, &down, 1, &rel), EINTR); break;
    case 16: IS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &hour, NULL), EINTR); break;
    case 17: FAILS(usleep(900000000), EINTR); break;
    case 18: TRUE(sleep(3600) > 0); break;
    }
    done = 1;
    return NULL;
}

int main(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct mq_attr qa = {.mq_maxmsg = 1, .mq_msgsize = 8};
    char name[64];
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(pipe(p));
    OK(pipe2(full, O_NONBLOCK));
    while (write(full[1], big, 4096) > 0)
        ;
    OK(fcntl(full[1], F_SETFL, 0));
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "heddle-posix-eintr-%d", (int)getpid());
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    OK(bind(listener, (void *)&a, sizeof a));
    OK(listen(listener, 1));
    int first = open("eintr.tmp", O_RDWR | O_CREAT, 0600);
    locked = open("eintr.tmp", O_RDWR);
    OK(flock(first, LOCK_EX));
    msgs = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    sems = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    snprintf(name, sizeof name, "/heddle-posix-eintr-%d", (int)getpid());
    mq = mq_open(name, O_RDWR | O_CREAT, 0600, &qa);
    OK(mq_unlink(name));
    OK(sem_init(&sem, 0, 0));
    for (long i = 0; i < 19; i++) {
        done = 0;
        pthread_t t = start(user, (void *)i);
        while (!done) {
            OK(pthread_kill(t, SIGUSR1));
            sched_yield();
        }
        join(t);
    }
    OK(msgctl(msgs, IPC_RMID, NULL));
    OK(semctl(sems, 0, IPC_RMID));
    OK(unlink("eintr.tmp"));
    return 0;
}
