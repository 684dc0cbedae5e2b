/* A time-out that is as far away as can be said waits like none, and does not end at once.
 * text:   the calls wait until something is ready or the time has passed
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>

static int pipe_of[5][2], pair[2], set;
static sem_t sem;
static const struct timespec far = {.tv_sec = LONG_MAX, .tv_nsec = 999999999};

static void *waits(void *arg)
{
    long way = (long)arg;
    int fd = way < 3 ? pipe_of[way][0] : -1;
    fd_set in;
    FD_ZERO(&in);
    if (fd >= 0)
        FD_SET(fd, &in);
    struct timeval tv = {.tv_sec = LONG_MAX};
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct sembuf down = {.sem_op = -1};
    char byte;
    struct iovec iov = {&byte, 1};
    struct mmsghdr m = {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};
    struct timespec copy = far;
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    switch (way) {
    case 0: IS(select(fd + 1, &in, NULL, NULL, &tv), 1); break;
    case 1: IS(pselect(fd + 1, &in, NULL, NULL, &far, NULL), 1); break;
    case 2: IS(ppoll(&p, 1, &far, NULL), 1); break;
    case 3: OK(semtimedop(set, &down, 1, &far)); break;
    case 4: IS(sigtimedwait(&usr1, NULL, &far), SIGUSR1); break;
    case 5: IS(recvmmsg(pair[0], &m, 1, 0, &copy), 1); break;
    default: OK(sem_timedwait(&sem, &far)); break;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[7];
    struct sembuf up = {.sem_op = 1};
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    OK(pthread_sigmask(SIG_BLOCK, &usr1, NULL));
    for (int i = 0; i < 3; i++)
        OK(pipe(pipe_of[i]));
    OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    OK(sem_init(&sem, 0, 0));
    set = semget(IPC_PRIVATE, 1, 0600);
    TRUE(set >= 0);
    for (long i = 0; i < 7; i++)
        OK(pthread_create(&t[i], NULL, waits, (void *)i));
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    for (int i = 0; i < 3; i++)
        IS(write(pipe_of[i][1], "x", 1), 1);
    OK(semop(set, &up, 1));
    OK(pthread_kill(t[4], SIGUSR1));
    IS(send(pair[1], "x", 1, 0), 1);
    OK(sem_post(&sem));
    for (int i = 0; i < 7; i++)
        OK(pthread_join(t[i], NULL));
    OK(semctl(set, 0, IPC_RMID));
    return 0;
}
