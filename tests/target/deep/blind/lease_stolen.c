/* A lease that is always renewed in time is stolen
 * cause:    the rival reads when the lease ends before it reads the clock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   of 50,000 random walks 149 fail at DEPTH 2, 7 at 3; none of 100,000 each of random,
 *           pos and burst at 5 (odds.sh)
 * shape:    three threads; DEPTH times in a row the renewal and a tick fall between two reads
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 5 /* bids in a row */
#endif
enum { PASSES = 3 * DEPTH };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int expires = 1, now, bids, is_stolen;

static int get(int *what)
{
    pthread_mutex_lock(&lock);
    int v = *what;
    pthread_mutex_unlock(&lock);
    return v;
}

static void *holder(void *arg)
{
    for (int i = 0; i < PASSES; i++) {
        pthread_mutex_lock(&lock);
        if (now == expires) {
            expires++; /* in the last moment */
        } else if (now > expires) {
            expires = now + 1; /* it was free for a while: whoever bid may have it */
            bids = 0;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *ticking(void *arg)
{
    for (int i = 0; i < PASSES; i++) {
        pthread_mutex_lock(&lock);
        now++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *rival(void *arg)
{
    int last = -1;
    for (int i = 0; i < PASSES; i++) {
        int end = get(&expires), at = get(&now);
        pthread_mutex_lock(&lock);
        if (at != end + 1 || last == end || expires <= end)
            bids = 0;
        else if (++bids == DEPTH)
            is_stolen = 1;
        pthread_mutex_unlock(&lock);
        last = end;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {holder, ticking, rival};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_stolen);
    return 0;
}
