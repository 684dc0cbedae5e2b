/* libc_accesses.h: what the programs of libc_accesses.sh have in common. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <mntent.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <shadow.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

static int cmp(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int cmp_r(const void *a, const void *b, void *arg)
{
    return arg ? 0 : cmp(a, b);
}

static int strcmp_v(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void *nothing(void *arg)
{
    return arg;
}

static int nothing_c11(void *arg)
{
    return arg != NULL;
}

/* A socket that listens, and one that connects to it. */
static void listening(int *s, int *c)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    *s = socket(AF_INET, SOCK_STREAM, 0);
    *c = socket(AF_INET, SOCK_STREAM, 0);
    bind(*s, (struct sockaddr *)&a, sizeof a);
    listen(*s, 4);
    getsockname(*s, (struct sockaddr *)&a, &n);
    connect(*c, (struct sockaddr *)&a, sizeof a);
}

/* A socket with a message from itself. */
static void datagram(int *s)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    *s = socket(AF_INET, SOCK_DGRAM, 0);
    bind(*s, (struct sockaddr *)&a, sizeof a);
    getsockname(*s, (struct sockaddr *)&a, &n);
    connect(*s, (struct sockaddr *)&a, sizeof a);
    send(*s, "abcdefgh", 8, 0);
}
