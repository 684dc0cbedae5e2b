/* syscall(): results and errors as the functions have them
 * text:   an error is -1 with errno; an unknown number is ENOSYS
 * expect: exit 0
 */
#include "check.h"
#include <linux/futex.h>
#include <sys/syscall.h>

static void *user(void *arg)
{
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    static long last;
    long tid = syscall(SYS_gettid);
    IS(tid, gettid());
    OK(pthread_mutex_lock(&m));
    TRUE(tid != last);
    last = tid;
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

int main(void)
{
    int word = 1;
    struct timespec ms = {0, 2000000};
    IS(syscall(SYS_getpid), getpid());
    IS(syscall(SYS_gettid), getpid());
    FAILS(syscall(SYS_close, -1), EBADF);
    FAILS(syscall(99999), ENOSYS);
    FAILS(syscall(SYS_futex, &word, FUTEX_WAIT, 2, NULL, NULL, 0), EAGAIN);
    FAILS(syscall(SYS_futex, &word, FUTEX_WAIT, 1, &ms, NULL, 0), ETIMEDOUT);
    OK(syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0));
    FAILS(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAIT, 1, NULL, NULL, 0), EINVAL);
    pthread_t a = start(user, NULL), b = start(user, NULL);
    join(a);
    join(b);
    return 0;
}
