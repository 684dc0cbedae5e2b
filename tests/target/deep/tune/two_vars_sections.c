/* A stock count and its value disagree after three bookings fell between each other
 * cause:    two variables that belong together are changed in critical sections of their own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   1 of 200,000 random walks fails, none of as many of pos and burst (odds.sh)
 * shape:    three threads, two variables, three critical sections each; the auditor must see the
 *           halves of two bookings, DEPTH times in a row
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef DEPTH
#define DEPTH 4 /* suspicious looks in a row */
#endif
enum { BOOKINGS = 2 * DEPTH };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, value, total;
static int suspicious, alarm;

static void *booking(void *arg)
{
    int price = (int)(long)arg;
    for (int i = 0; i < BOOKINGS; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        value += price;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static int look(int *what)
{
    pthread_mutex_lock(&lock);
    int v = *what;
    pthread_mutex_unlock(&lock);
    return v;
}

static void *auditor(void *arg)
{
    int last = -1;
    for (int i = 0; i < BOOKINGS; i++) {
        int c = look(&count), t = look(&total), v = look(&value);
        bool is_odd = c == t + 2 && v == t + 1 && t != last;
        last = t;
        if (!is_odd) {
            suspicious = 0; /* explained by one booking under way, or none */
            continue;
        }
        if (++suspicious == DEPTH)
            alarm = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, booking, (void *)1L);
    pthread_create(&t[1], NULL, booking, (void *)1L);
    pthread_create(&t[2], NULL, auditor, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!alarm);
    return 0;
}
