/* Optimistic update: the version is read in one section and checked in the next; retries are counted
 * and printed
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int version, value, retries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int seen = version, v = value;
        pthread_mutex_unlock(&lock);
        v += 10;
        pthread_mutex_lock(&lock);
        if (version == seen) {
            value = v;
            version = seen + 1;
            pthread_mutex_unlock(&lock);
            return arg;
        }
        retries++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    run_both(add, add);
    printf("value %d after %d retries\n", value, retries);
    return 0;
}
