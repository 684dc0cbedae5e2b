/* Threads of C11: mtx, cnd with a timeout, tss destructors, call_once
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static cnd_t c;
static tss_t key;
static once_flag flag = ONCE_FLAG_INIT;
static int limit, n, merged;

static void init(void) { limit = 3; }
static void merge(void *p)
{
    mtx_lock(&m);
    merged += *(int *)p;
    mtx_unlock(&m);
    free(p);
}

static int worker(void *arg)
{
    call_once(&flag, init);
    int *mine = malloc(sizeof *mine);
    *mine = limit;
    tss_set(key, mine);
    mtx_lock(&m);
    n++;
    cnd_signal(&c);
    mtx_unlock(&m);
    return arg != NULL;
}

int main(void)
{
    thrd_t t[2];
    mtx_init(&m, mtx_timed);
    cnd_init(&c);
    tss_create(&key, merge);
    for (int i = 0; i < 2; i++)
        thrd_create(&t[i], worker, NULL);
    mtx_lock(&m);
    while (n < 2) {
        struct timespec when;
        timespec_get(&when, TIME_UTC);
        when.tv_sec++;
        cnd_timedwait(&c, &m, &when);
    }
    mtx_unlock(&m);
    for (int i = 0; i < 2; i++)
        thrd_join(t[i], NULL);
    mtx_destroy(&m);
    cnd_destroy(&c);
    return merged != 6;
}
