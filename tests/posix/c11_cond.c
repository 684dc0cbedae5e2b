/* C11 conditions: signal, broadcast, timeout
 * text:   cnd_timedwait gives thrd_timedout at the UTC time; the mutex is held on return
 * expect: exit 0
 */
#include "check.h"
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int turn;

static int user(void *arg)
{
    IS(mtx_lock(&m), thrd_success);
    while (turn < 1)
        IS(cnd_wait(&c, &m), thrd_success);
    turn++;
    IS(cnd_broadcast(&c), thrd_success);
    IS(mtx_unlock(&m), thrd_success);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    struct timespec t;
    int r;
    IS(mtx_init(&m, mtx_plain), thrd_success);
    IS(cnd_init(&c), thrd_success);
    IS(mtx_lock(&m), thrd_success);
    t = in_ms(CLOCK_REALTIME, 5);
    while ((r = cnd_timedwait(&c, &m, &t)) == thrd_success)
        ;
    IS(r, thrd_timedout);
    IS(mtx_unlock(&m), thrd_success);
    IS(thrd_create(&a, user, NULL), thrd_success);
    IS(thrd_create(&b, user, NULL), thrd_success);
    IS(mtx_lock(&m), thrd_success);
    turn = 1;
    IS(cnd_broadcast(&c), thrd_success);
    while (turn < 3)
        IS(cnd_wait(&c, &m), thrd_success);
    IS(mtx_unlock(&m), thrd_success);
    IS(thrd_join(a, NULL), thrd_success);
    IS(thrd_join(b, NULL), thrd_success);
    cnd_destroy(&c);
    mtx_destroy(&m);
    return 0;
}
