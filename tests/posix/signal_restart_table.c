/* Blocking calls that go on after a handler with SA_RESTART
 * text:   the call is restarted and returns as if no signal had come
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

static int p[2], s[2], listener, first, locked;
static struct sockaddr_un addr = {.sun_family = AF_UNIX};
static mqd_t mq;
static sem_t sem;
static atomic_int handled;
static void handler(int n) { handled++; }

static void *user(void *arg)
{
    char c[8];
    struct iovec v = {c, 1};
    struct flock l = {.l_type = F_WRLCK, .l_len = 1};
    switch ((long)arg) {
    case 0: IS(read(p[0], c, 1), 1); break;
    case 1: IS(recv(s[0], c, 1, 0), 1); break;
    case 2: TRUE(accept(listener, NULL, NULL) >= 0); break;
    case 3:
        OK(flock(locked, LOCK_EX));
        OK(flock(locked, LOCK_UN));
        break;
    case 4: IS(mq_receive(mq, c, 8, NULL), 1); break;
    case 5: OK(sem_wait(&sem)); break;
    case 6: OK(sem_wait(&sem)); break;
    case 7: IS(readv(p[0], &v, 1), 1); break;
    case 8: OK(fcntl(locked, F_OFD_SETLKW, &l)); break;
    }
    return NULL;
}

static void end(long i)
{
    struct flock l = {.l_type = F_UNLCK, .l_len = 1};
    int c;
    switch (i) {
    case 0:
    case 7: IS(write(p[1], "x", 1), 1); break;
    case 1: IS(send(s[1], "x", 1, 0), 1); break;
    case 2:
        c = socket(AF_UNIX, SOCK_STREAM, 0);
        OK(connect(c, (void *)&addr, sizeof addr));
        break;
    case 3: OK(flock(first, LOCK_UN)); break;
    case 4: OK(mq_send(mq, "x", 1, 0)); break;
    case 5:
    case 6: OK(sem_post(&sem)); break;
    case 8: OK(fcntl(first, F_OFD_SETLK, &l)); break;
    }
}

int main(void)
{
    struct mq_attr qa = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct flock l = {.l_type = F_WRLCK, .l_len = 1};
    char name[64];
    OK(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL));
    OK(pipe(p));
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    snprintf(addr.sun_path + 1, sizeof addr.sun_path - 1, "heddle-posix-restart-%d", (int)getpid());
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    OK(bind(listener, (void *)&addr, sizeof addr));
    OK(listen(listener, 1));
    first = open("restart.tmp", O_RDWR | O_CREAT, 0600);
    locked = open("restart.tmp", O_RDWR);
    OK(flock(first, LOCK_EX));
    OK(fcntl(first, F_OFD_SETLK, &l));
    snprintf(name, sizeof name, "/heddle-posix-restart-%d", (int)getpid());
    mq = mq_open(name, O_RDWR | O_CREAT, 0600, &qa);
    OK(mq_unlink(name));
    OK(sem_init(&sem, 0, 0));
    for (long i = 0; i < 9; i++) {
        handled = 0;
        pthread_t t = start(user, (void *)i);
        for (int k = 1; k <= 2; k++) {
            OK(pthread_kill(t, SIGUSR1));
            while (handled < k)
                sched_yield();
        }
        end(i);
        join(t);
    }
    OK(unlink("restart.tmp"));
    return 0;
}
