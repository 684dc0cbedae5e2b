/* Handlers on alternate stacks: one each for two threads, nested, left by siglongjmp
 * cause:    none: every handler runs on its own thread's stack and leaves it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define SIZE 65536

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static __thread char *stack;
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t depth;

static int is_on(const void *p) { return (const char *)p >= stack && (const char *)p < stack + SIZE; }

static void inner(int s)
{
    char here;
    if (!is_on(&here))
        abort();
    depth++;
}

static void outer(int s, siginfo_t *info, void *context)
{
    char here;
    if (!is_on(&here) || info->si_signo != s)
        abort();
    raise(SIGUSR2); /* on the same stack, further down */
    siglongjmp(out, 1);
}

static void fault(int s)
{
    char here;
    if (!is_on(&here))
        abort();
    siglongjmp(out, 2);
}

static void *user(void *arg)
{
    stack = malloc(SIZE);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = SIZE}, NULL);
    for (int i = 0; i < 3; i++) {
        int how = sigsetjmp(out, 1);
        if (how == 0)
            raise(SIGUSR1);
        if (how == 1)
            *(volatile int *)arg = 1; /* no memory there */
        if (how != 2 || is_on(&how))
            abort();
        pthread_mutex_lock(&m);
        n += depth;
        pthread_mutex_unlock(&m);
    }
    stack_t now;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, &now);
    if (now.ss_sp != stack || now.ss_flags)
        abort();
    free(stack);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    struct sigaction sa = {.sa_flags = SA_ONSTACK};
    sa.sa_handler = inner;
    sigaction(SIGUSR2, &sa, NULL);
    sa.sa_handler = fault;
    sigaction(SIGSEGV, &sa, NULL);
    sa.sa_flags |= SA_SIGINFO;
    sa.sa_sigaction = outer;
    sigaction(SIGUSR1, &sa, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, (void *)(64l * (i + 1)));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 2 * (1 + 2 + 3);
}
