/* A timer is cancelled that fires a lap later
 * cause:    the slot is computed from a time that is old by then, in one pass of a loop
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads in loops; within pass 9 of one the wheel moves on by six, and pass 6 of a
 *           third meets pass 11 three ticks later
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PASSES = 14, TICKS = 28 };
static atomic_int now, at, lapped, is_wrong;

static void *wheel(void *arg)
{
    for (int i = 1; i <= TICKS; i++)
        atomic_store(&now, i);
    return arg;
}

static void *arming(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        int n = now;
        at = n + 3;
        if (i == 9 && now == n + 6)
            lapped = n + 6;
        at = 0;
    }
    return arg;
}

static void *cancelling(void *arg)
{
    for (int i = 1; i <= PASSES; i++) {
        int a = at, l = lapped;
        if (i == 6 && l && now == l + 3 && a == l + 3)
            is_wrong = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {wheel, arming, cancelling};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_wrong);
    return 0;
}
