/* libc fills nothing where a call fails, less than there is room for, or under the caller's lock; its own frames are not in a stack
 * build:    gcc -g -O1 -fno-builtin -fsanitize=thread -Wl,--no-as-needed -lm
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct termios term;
static struct shmid_ds segment;
static struct msghdr header;
static struct dirent **entries;
static siginfo_t info;
static void *stack[64];
static char bytes[8], path[] = "/no/such/folder", text[256];
static int sockets[2];
static unsigned uid;

static void locked(void)
{
    pthread_mutex_lock(&m);
    struct passwd *p = getpwuid(0), own, *to;
    uid += p ? p->pw_uid : 0;
    getpwuid_r(0, &own, text, sizeof text, &to);
    pthread_mutex_unlock(&m);
}

/* What fails, and what is filled in part. */
static void *filler(void *arg)
{
    struct iovec to = {bytes, 4}, from = {(void *)"abcdefgh", 4};
    if (tcgetattr(-1, &term) != -1 || shmctl(-1, IPC_STAT, &segment) != -1 || waitid(P_ALL, 0, &info, WEXITED) != -1 ||
        scandir(path, &entries, NULL, NULL) != -1 || opendir(path) || fopen(path, "r") ||
        recvmsg(sockets[0], &header, MSG_DONTWAIT) != -1)
        abort();
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 4)
        abort();
    int n = backtrace(stack, 60);
    if (n < 1 || n > 59 || (char *)stack[0] < (char *)filler || (char *)stack[0] > (char *)filler + 4096)
        abort();
    locked();
    return lgamma(2.5) > 9 ? NULL : arg; /* nobody looks at signgam */
}

static void *neighbour(void *arg)
{
    static char other[] = "x";
    term.c_iflag = 1;
    segment.shm_segsz = 2;
    info.si_signo = 3;
    entries = NULL;
    header.msg_flags = 4;
    bytes[4] = 'n';
    stack[61] = other;
    opendir(path);
    locked();
    return lgamma(3.5) > 9 ? NULL : arg;
}

int main(void)
{
    char *text_of_stream;
    size_t n;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets))
        return 1;
    run_both(filler, neighbour);
    FILE *f = open_memstream(&text_of_stream, &n);
    fputs("abc", f);
    fclose(f);
    return n != 3 || bytes[4] != 'n' || term.c_iflag != 1;
}
