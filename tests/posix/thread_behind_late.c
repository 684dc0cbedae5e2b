/* A thread that libc makes for itself while the only other one is in the kernel
 * text:   a thread may allocate memory whatever others do, and what it does delays none of them for
 *         ever
 * expect: exit 0
 */
#include "check.h"
#include <dlfcn.h>
#include <sys/syscall.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *allocate(void *unused)
{
    for (int i = 0; i < 3; i++)
        free(strdup("block"));
    return NULL;
}

static void *add(void *unused)
{
    OK(pthread_mutex_lock(&m));
    count++;
    OK(pthread_mutex_unlock(&m));
    return NULL;
}

/* As a library does it that makes its system calls itself. */
static void sleep_really(long ns)
{
    struct timespec ts = {0, ns};
    long r = SYS_nanosleep;
    __asm__ volatile("syscall" : "+a"(r) : "D"(&ts), "S"(NULL) : "rcx", "r11", "memory");
    OK(r);
}

int main(void)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    TRUE(libc);
    int (*make)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&make = dlsym(libc, "pthread_create");
    TRUE(make);
    pthread_attr_t detached;
    pthread_t t;
    OK(pthread_attr_init(&detached));
    OK(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED));
    OK(make(&t, &detached, allocate, NULL));
    sleep_really(250000000);
    pthread_t a = start(add, NULL), b = start(add, NULL);
    join(a);
    join(b);
    IS(count, 2);
    return 0;
}
