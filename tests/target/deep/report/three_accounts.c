/* Many bookings of three clerks leave two: each undoes what the others did
 * cause:    read and write of a balance, and of its journal, are sections of their own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   of 100,000 walks 2 of pos fail, 1 of burst, none of random (odds.sh)
 * shape:    three threads, two variables, three critical sections a booking; the first read of one
 *           thread has to reach over the last pass of the others, for both variables
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 7 /* bookings of a clerk */
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance, journal;

static void *clerk(void *arg)
{
    for (int i = 0; i < DEPTH; i++) {
        pthread_mutex_lock(&lock);
        int b = balance, j = journal;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        balance = b + 1;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        journal = j + 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, clerk, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(balance > 2 || journal == balance);
    return 0;
}
