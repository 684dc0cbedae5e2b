/* A range is turned inside out, again and again
 * cause:    its ends are read, moved towards each other and stored in three critical sections
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails; at DEPTH 8 3 of random (odds.sh)
 * shape:    three threads, two variables, three sections; each narrowing has to be decided before the
 *           others are stored, widenings in between undo it
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 10 /* stores in a row */
#endif
enum { TURNS = 2 * DEPTH + 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low = 0, high = 3, in_a_row, is_inside_out;

static void *narrow(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        int l = low, h = high;
        pthread_mutex_unlock(&lock);
        if (l >= h)
            continue;
        pthread_mutex_lock(&lock);
        low = l + 1 + (low > l);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        high = h - 1 - (high < h);
        in_a_row = low - high >= 2 ? in_a_row + 1 : 0;
        if (in_a_row == DEPTH)
            is_inside_out = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *widen(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&lock);
        if (low >= high) {
            low = low - 1;
            high = high + 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {narrow, narrow, widen};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_inside_out);
    return 0;
}
