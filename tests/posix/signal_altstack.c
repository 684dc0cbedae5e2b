/* sigaltstack: SA_ONSTACK handlers run on it, errors
 * text:   a size below the minimum is ENOMEM; unknown flags are EINVAL; SS_ONSTACK is told in the
 *         handler, and changing the stack there is EPERM; each thread has its own
 * expect: exit 0
 */
#include "check.h"

static char *stack;
static volatile sig_atomic_t on_stack;

static void handler(int s)
{
    char here;
    stack_t now, other = {.ss_flags = SS_DISABLE};
    on_stack = &here >= stack && &here < stack + 65536;
    OK(sigaltstack(NULL, &now));
    IS(!!(now.ss_flags & SS_ONSTACK), on_stack);
    if (on_stack)
        FAILS(sigaltstack(&other, NULL), EPERM);
}

static void *user(void *arg)
{
    stack_t now;
    OK(sigaltstack(NULL, &now));
    on_stack = 1;
    OK(raise(SIGUSR1));
    IS(on_stack, 0); /* the stack is the main thread's */
    return NULL;
}

int main(void)
{
    stack = malloc(65536);
    stack_t ss = {.ss_sp = stack, .ss_size = 65536}, old;
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    OK(sigaction(SIGUSR1, &sa, NULL));
    OK(raise(SIGUSR1));
    IS(on_stack, 0);
    OK(sigaltstack(&ss, NULL));
    OK(sigaltstack(NULL, &old));
    TRUE(old.ss_sp == stack && old.ss_size == 65536);
    IS(old.ss_flags, 0);
    OK(raise(SIGUSR1));
    IS(on_stack, 1);
    join(start(user, NULL));
    stack_t bad = {.ss_sp = stack, .ss_size = 16};
    FAILS(sigaltstack(&bad, NULL), ENOMEM);
    bad = (stack_t){.ss_sp = stack, .ss_size = 65536, .ss_flags = 77};
    FAILS(sigaltstack(&bad, NULL), EINVAL);
    ss.ss_flags = SS_DISABLE;
    OK(sigaltstack(&ss, NULL));
    OK(raise(SIGUSR1));
    IS(on_stack, 0);
    free(stack);
    return 0;
}
