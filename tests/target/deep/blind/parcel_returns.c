/* A parcel is sent there and back until its stamp card is full
 * cause:    whoever finds a parcel in the box takes it, whatever it is
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 300,000 walks each of random, pos and burst fails; of 100,000 random ones 2 at
 *           DEPTH 8 (odds.sh)
 * shape:    three threads, two boxes; one parcel has to go through all of them DEPTH times, by
 *           exchanges that anybody makes at any time
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 10 /* stamps */
#endif
enum { PASSES = 2 * DEPTH, MARKED = 100 };
static atomic_int left_box, right_box, is_full;

/* Who has the marked one stamps it if the other side did last. */
static int stamp(int parcel, int side)
{
    if (parcel < MARKED || (parcel - MARKED) % 2 != side)
        return parcel;
    if (parcel + 1 == MARKED + DEPTH)
        is_full = 1;
    return parcel + 1;
}

static void *sender(void *arg)
{
    int parcel = MARKED;
    for (int i = 0; i < PASSES; i++)
        parcel = stamp(atomic_exchange(&left_box, parcel), 1);
    return arg;
}

static void *carrier(void *arg)
{
    int parcel = 1;
    for (int i = 0; i < PASSES; i++) {
        parcel = atomic_exchange(&left_box, parcel);
        parcel = atomic_exchange(&right_box, parcel);
    }
    return arg;
}

static void *receiver(void *arg)
{
    int parcel = 2;
    for (int i = 0; i < PASSES; i++)
        parcel = stamp(atomic_exchange(&right_box, parcel), 0);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {sender, carrier, receiver};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_full);
    return 0;
}
