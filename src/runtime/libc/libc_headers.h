/* libc_headers.h: the declarations that real.h takes its types from. */
#ifndef HD_LIBC_HEADERS_H
#define HD_LIBC_HEADERS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <mntent.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

extern int mq_notify(int q, const struct sigevent *ev); /* <mqueue.h> */
extern FILE *_IO_list_all; /* glibc's: all streams */
/* What -D_FORTIFY_SOURCE makes of vfprintf; declared by <stdio.h> only then. */
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);
int __vsnprintf_chk(char *to, size_t size, int flag, size_t have, const char *format, va_list ap);
int __xpg_strerror_r(int err, char *to, size_t size); /* what <string.h> makes of strerror_r */
/* scanf has two names in libc: the C99 one is what <stdio.h> leads to. */
int __isoc99_vsscanf(const char *text, const char *format, va_list ap);
int __isoc99_vfscanf(FILE *f, const char *format, va_list ap);
int __vsprintf_chk(char *to, int flag, size_t have, const char *format, va_list ap);

#endif
