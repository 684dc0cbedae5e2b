/* A correction is made for money that is under way, and another one for the correction
 * cause:    cash and claims are read one after the other, and corrected in a third section
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails; of 50,000 of pos 11 at
 *           DEPTH 2, none at 3 (odds.sh)
 * shape:    three threads, two variables, three critical sections; each time one booking more has to
 *           fall between two reads
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 4 /* corrections too many */
#endif
enum { TOTAL = 100, BOOKINGS = DEPTH * (DEPTH + 3) / 2, LOOKS = 2 * DEPTH };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cash = TOTAL, claims;

static void add(int *to, int n)
{
    pthread_mutex_lock(&lock);
    *to += n;
    pthread_mutex_unlock(&lock);
}

static int get(int *what)
{
    pthread_mutex_lock(&lock);
    int v = *what;
    pthread_mutex_unlock(&lock);
    return v;
}

static void *booking(void *arg)
{
    for (int i = 0; i < BOOKINGS / 2; i++) {
        add(&claims, 1);
        add(&cash, -1);
    }
    return arg;
}

static void *correcting(void *arg)
{
    for (int i = 0; i < LOOKS; i++) {
        int k = get(&claims), c = get(&cash);
        if (c + k == TOTAL - 1)
            add(&claims, 1);
        else if (c + k >= TOTAL + 1)
            add(&claims, -1);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {booking, booking, correcting};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(cash + claims < TOTAL + DEPTH);
    return 0;
}
