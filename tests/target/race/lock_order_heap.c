/* Two accounts, each locked first by one of two transfers of the same code
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    L1-L1
 * class:    fails
 * finding:  blocked
 */
#include "threads.h"
#include <stdlib.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    int sum;
};
static struct account *x, *y;

static void transfer(struct account *from, struct account *to, int n)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); /* L1 */
    from->sum -= n;
    to->sum += n;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *one(void *arg)
{
    transfer(x, y, 3);
    return arg;
}

static void *two(void *arg)
{
    usleep(200000);
    transfer(y, x, 4);
    return arg;
}

int main(void)
{
    x = calloc(1, sizeof *x);
    y = calloc(1, sizeof *y);
    pthread_mutex_init(&x->lock, NULL);
    pthread_mutex_init(&y->lock, NULL);
    run_both(one, two);
    printf("%d %d\n", x->sum, y->sum);
    return 0;
}
