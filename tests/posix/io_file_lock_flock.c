/* flock: belongs to the open file, EWOULDBLOCK, conversion
 * text:   two opens of a file conflict even in one process; duplicates share the lock; LOCK_NB
 *         fails with EWOULDBLOCK; a thread waits until it is free
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <sys/file.h>

static int a, b;

static void *waiter(void *arg)
{
    OK(flock(b, LOCK_EX));
    OK(flock(b, LOCK_UN));
    return NULL;
}

int main(void)
{
    a = open("flock.tmp", O_RDWR | O_CREAT, 0600);
    b = open("flock.tmp", O_RDWR);
    TRUE(a >= 0 && b >= 0);
    OK(flock(a, LOCK_SH));
    OK(flock(b, LOCK_SH | LOCK_NB));
    FAILS(flock(a, LOCK_EX | LOCK_NB), EWOULDBLOCK);
    OK(flock(b, LOCK_UN));
    OK(flock(a, LOCK_EX));
    FAILS(flock(b, LOCK_SH | LOCK_NB), EWOULDBLOCK);
    pthread_t t = start(waiter, NULL);
    sched_yield();
    OK(flock(a, LOCK_UN));
    join(t);
    FAILS(flock(-1, LOCK_SH), EBADF);
    FAILS(flock(a, 0), EINVAL);
    OK(unlink("flock.tmp"));
    return 0;
}
