/* An alarm ends a wait that nothing else would end
 * text:   the handler of SIGALRM interrupts the call with EINTR, also where no other thread exists
 * expect: exit 0
 * flags: -lrt
 */
#include "check.h"
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>

static volatile sig_atomic_t n;
static void handler(int s) { n++; }

int main(void)
{
    struct itimerval it = {{0, 0}, {0, 5000}};
    struct sembuf down = {0, -1, 0};
    struct { long type; char text[8]; } m;
    int p[2], s[2];
    char c[8];
    sem_t sem;
    sigset_t none;
    sigemptyset(&none);
    OK(sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler}, NULL));
    OK(pipe(p));
    OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    OK(sem_init(&sem, 0, 0));
    int msgs = msgget(IPC_PRIVATE, IPC_CREAT | 0600), sems = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    struct pollfd pf = {.fd = p[0], .events = POLLIN};
    for (int i = 0; i < 8; i++) {
        OK(setitimer(ITIMER_REAL, &it, NULL));
        switch (i) {
        case 0: FAILS(read(p[0], c, 1), EINTR); break;
        case 1: FAILS(recv(s[0], c, 1, 0), EINTR); break;
        case 2: FAILS(sem_wait(&sem), EINTR); break;
        case 3: FAILS(msgrcv(msgs, &m, 8, 0, 0), EINTR); break;
        case 4: FAILS(semop(sems, &down, 1), EINTR); break;
        case 5: FAILS(poll(&pf, 1, -1), EINTR); break;
        case 6: FAILS(pause(), EINTR); break;
        case 7: FAILS(sigsuspend(&none), EINTR); break;
        }
        IS(n, i + 1);
    }
    OK(msgctl(msgs, IPC_RMID, NULL));
    OK(semctl(sems, 0, IPC_RMID));
    return 0;
}
