/* An atomic counter is loaded and stored, not updated at once
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * between:  R1-R2-R2
 */
#include "threads.h"
#include <stdatomic.h>

static atomic_int n;

static void *work(void *arg)
{
    int seen = atomic_load(&n);  /* R1 */
    atomic_store(&n, seen + 1);  /* R2 */
    return arg;
}

int main(void)
{
    run_both(work, work);
    printf("%d\n", n);
    return 0;
}
