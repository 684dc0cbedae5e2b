/* C11 threads: mutex, condition, once, thread-specific storage
 * cause:    none: the same rules under other names
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, libtsan of gcc 12 does not know C11 threads
 */
#include <assert.h>
#include <threads.h>

static mtx_t m;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int inits, ended, turn;

static void init(void)
{
    inits++;
}

static void at_end(void *arg)
{
    mtx_lock(&m);
    ended += *(int *)arg;
    mtx_unlock(&m);
}

static int worker(void *arg)
{
    static int one = 1;
    int me = *(int *)arg;
    call_once(&once, init);
    tss_set(key, &one);
    mtx_lock(&m);
    while (turn != me)
        cnd_wait(&changed, &m);
    turn++;
    cnd_broadcast(&changed);
    mtx_unlock(&m);
    return 10 + me;
}

int main(void)
{
    thrd_t t[3];
    int id[3] = {0, 1, 2}, result;
    if (mtx_init(&m, mtx_plain) != thrd_success || cnd_init(&changed) != thrd_success ||
        tss_create(&key, at_end) != thrd_success)
        return 1;
    for (int i = 0; i < 3; i++)
        thrd_create(&t[i], worker, &id[i]);
    for (int i = 0; i < 3; i++) {
        thrd_join(t[i], &result);
        assert(result == 10 + i);
    }
    assert(inits == 1 && ended == 3 && turn == 3);
    cnd_destroy(&changed);
    mtx_destroy(&m);
    return 0;
}
