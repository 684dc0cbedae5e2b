/* C11 mutexes: plain, recursive, timed
 * text:   mtx_trylock gives thrd_busy if it is held; a recursive one counts; timedlock gives
 *         thrd_timedout after the UTC time
 * expect: exit 0
 */
#include "check.h"
#include <threads.h>

static mtx_t plain, timed, rec;

static int busy(void *arg)
{
    struct timespec t;
    IS(mtx_trylock(&plain), thrd_busy);
    IS(mtx_trylock(&rec), thrd_busy);
    IS(timespec_get(&t, TIME_UTC), TIME_UTC);
    IS(mtx_timedlock(&timed, &t), thrd_timedout);
    return 17;
}

int main(void)
{
    thrd_t t;
    int r;
    IS(mtx_init(&plain, mtx_plain), thrd_success);
    IS(mtx_init(&timed, mtx_timed), thrd_success);
    IS(mtx_init(&rec, mtx_plain | mtx_recursive), thrd_success);
    IS(mtx_lock(&plain), thrd_success);
    IS(mtx_lock(&timed), thrd_success);
    IS(mtx_lock(&rec), thrd_success);
    IS(mtx_trylock(&rec), thrd_success);
    IS(mtx_unlock(&rec), thrd_success);
    IS(thrd_create(&t, busy, NULL), thrd_success);
    IS(thrd_join(t, &r), thrd_success);
    IS(r, 17);
    IS(mtx_unlock(&rec), thrd_success);
    IS(mtx_unlock(&timed), thrd_success);
    IS(mtx_unlock(&plain), thrd_success);
    mtx_destroy(&plain);
    mtx_destroy(&timed);
    mtx_destroy(&rec);
    return 0;
}
