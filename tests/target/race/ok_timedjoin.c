/* pthread_timedjoin_np and pthread_clockjoin_np hand over what the thread wrote
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static int data[2];

static void *worker(void *arg)
{
    data[(long)arg] = 5;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    struct timespec when;
    int e;
    do {
        clock_gettime(CLOCK_REALTIME, &when);
        when.tv_sec++;
    } while ((e = pthread_timedjoin_np(t[0], NULL, &when)) == ETIMEDOUT);
    int sum = data[0];
    do {
        clock_gettime(CLOCK_MONOTONIC, &when);
        when.tv_sec++;
    } while ((e = pthread_clockjoin_np(t[1], NULL, CLOCK_MONOTONIC, &when)) == ETIMEDOUT);
    sum += data[1];
    return sum != 10;
}
