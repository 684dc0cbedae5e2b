/* Blocks in a system call made by hand, which nobody can foresee, until another
 * thread of the same program writes.
 * expect: clean */
#include <pthread.h>
#include <unistd.h>

static int p[2];

static long raw_read(int fd, void *buf, unsigned long n)
{
    long ret;
    __asm__ volatile("syscall" : "=a"(ret) : "a"(0L), "D"((long)fd), "S"(buf), "d"(n) : "rcx", "r11", "memory");
    return ret;
}

static void *reader(void *arg)
{
    char c = 0;
    return (void *)(raw_read(p[0], &c, 1) == 1 && c == 'x' ? arg : NULL);
}

int main(void)
{
    pthread_t t;
    void *ok;
    if (pipe(p))
        return 2;
    pthread_create(&t, NULL, reader, &t);
    if (write(p[1], "x", 1) != 1)
        return 3;
    pthread_join(t, &ok);
    return ok != &t;
}
