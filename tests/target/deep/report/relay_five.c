/* A parcel is delivered twice: five stations, one order of ten scans
 * cause:    each scan looks at what the last one wrote, and writes without holding the lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   one interleaving of 10!/(2!)^5 = 113,400 of the scans
 * shape:    five threads, a chain of 9 orders under a lock; each that holds executes one more line
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int parcel, deliveries;

static int scanned(void)
{
    pthread_mutex_lock(&lock);
    int v = parcel;
    pthread_mutex_unlock(&lock);
    return v;
}

static void send_on(int to)
{
    pthread_mutex_lock(&lock);
    parcel = to;
    pthread_mutex_unlock(&lock);
}

static void *depot(void *arg)
{
    if (scanned() == 0)
        send_on(1);
    if (scanned() == 5)
        send_on(6);
    return arg;
}

static void *train(void *arg)
{
    if (scanned() == 1)
        send_on(2);
    if (scanned() == 6)
        send_on(7);
    return arg;
}

static void *customs(void *arg)
{
    if (scanned() == 2)
        send_on(3);
    if (scanned() == 7)
        send_on(8);
    return arg;
}

static void *truck(void *arg)
{
    if (scanned() == 3)
        send_on(4);
    if (scanned() == 8)
        send_on(9);
    return arg;
}

static void *courier(void *arg)
{
    if (scanned() == 4) {
        send_on(5);
        deliveries++;
    }
    if (scanned() == 9)
        deliveries++;
    return arg;
}

int main(void)
{
    pthread_t t[5];
    void *(*who[5])(void *) = {depot, train, customs, truck, courier};
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    assert(deliveries < 2);
    return 0;
}
