/* File locks and System V queues and semaphores between threads: the calls
 * that wait for something poll() does not know. */
#include "check.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

static char path[] = "/tmp/heddle-io-lock-XXXXXX";
static int first, second, queue, set, inside;

static void *take_flock(void *arg)
{
    IS(flock(second, LOCK_EX), 0);
    IS(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST), 1);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    IS(flock(second, LOCK_UN), 0);
    return NULL;
}

static void *take_ofd_lock(void *arg)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    IS(fcntl(second, F_OFD_SETLKW, &l), 0);
    IS(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST), 1);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    l.l_type = F_UNLCK;
    IS(fcntl(second, F_OFD_SETLKW, &l), 0);
    return NULL;
}

static void files(void)
{
    pthread_t t;
    first = mkstemp(path);
    CHECK(first >= 0);
    second = open(path, O_RDWR);
    CHECK(second >= 0);
    IS(unlink(path), 0);
    IS(flock(first, LOCK_EX), 0);
    FAILS(flock(second, LOCK_EX | LOCK_NB), EWOULDBLOCK);
    inside = 1;
    IS(pthread_create(&t, NULL, take_flock, NULL), 0);
    IS(__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST), 0);
    IS(flock(first, LOCK_UN), 0);
    IS(pthread_join(t, NULL), 0);

    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    IS(fcntl(first, F_OFD_SETLK, &l), 0);
    FAILS(fcntl(second, F_OFD_SETLK, &l), EAGAIN);
    inside = 1;
    IS(pthread_create(&t, NULL, take_ofd_lock, NULL), 0);
    IS(__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST), 0);
    l.l_type = F_UNLCK;
    IS(fcntl(first, F_OFD_SETLK, &l), 0);
    IS(pthread_join(t, NULL), 0);
    IS(lockf(first, F_LOCK, 10), 0);
    IS(lockf(first, F_ULOCK, 10), 0);
}

struct message {
    long type;
    char text[8];
};

static void *receive(void *arg)
{
    struct message m;
    IS(msgrcv(queue, &m, sizeof m.text, 2, 0), 3); /* the second message */
    CHECK(m.type == 2 && !memcmp(m.text, "two", 3));
    IS(msgrcv(queue, &m, sizeof m.text, 0, 0), 3);
    IS(m.type, 1);
    IS(msgrcv(queue, &m, sizeof m.text, 0, 0), 0); /* no text at all */
    IS(m.type, 7);
    return NULL;
}

static void *add_two(void *arg)
{
    struct sembuf up = {0, 2, 0};
    IS(semop(set, &up, 1), 0);
    return NULL;
}

static void queues(void)
{
    pthread_t t;
    struct message one = {1, "one"}, two = {2, "two"}, empty = {7, ""};
    queue = msgget(IPC_PRIVATE, 0600);
    set = semget(IPC_PRIVATE, 1, 0600);
    if (queue < 0 || set < 0)
        return; /* not in every container */
    FAILS(msgrcv(queue, &one, sizeof one.text, 0, IPC_NOWAIT), ENOMSG);
    IS(pthread_create(&t, NULL, receive, NULL), 0);
    IS(msgsnd(queue, &one, 3, 0), 0);
    IS(msgsnd(queue, &two, 3, 0), 0);
    IS(msgsnd(queue, &empty, 0, 0), 0);
    IS(pthread_join(t, NULL), 0);
    IS(msgctl(queue, IPC_RMID, NULL), 0);

    struct sembuf down[2] = {{0, -1, 0}, {0, -1, 0}}, zero = {0, 0, 0};
    struct timespec ms20 = {0, 20000000};
    FAILS(semtimedop(set, down, 1, &ms20), EAGAIN);
    IS(semop(set, &zero, 1), 0);
    IS(pthread_create(&t, NULL, add_two, NULL), 0);
    IS(semop(set, down, 2), 0);
    IS(pthread_join(t, NULL), 0);
    IS(semctl(set, 0, IPC_RMID), 0);
}

int main(void)
{
    files();
    queues();
    return 0;
}
