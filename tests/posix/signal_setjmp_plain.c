/* setjmp and longjmp: value, and 0 becomes 1
 * text:   longjmp returns in setjmp with its value, 1 if it was 0; each thread jumps on its
 *         own stack
 * expect: exit 0
 */
#include "check.h"
#include <setjmp.h>

static __thread jmp_buf back;

static void deep(int n, int value)
{
    volatile char pad[100];
    pad[0] = 1;
    if (n)
        deep(n - 1, value);
    else
        longjmp(back, value);
    pad[1] = pad[0];
}

static void *user(void *arg)
{
    volatile int count = 0;
    int r = setjmp(back);
    if (count < 3) {
        count++;
        IS(r, count == 1 ? 0 : count == 2 ? 5 : 1);
        deep(5, count == 1 ? 5 : 0);
    }
    IS(r, 1);
    return NULL;
}

int main(void)
{
    pthread_t a = start(user, NULL), b = start(user, NULL);
    user(NULL);
    join(a);
    join(b);
    return 0;
}
