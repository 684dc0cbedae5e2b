/* A log is closed and opened again under its lock; whether it is open is asked without the lock, and an entry that
 * comes meanwhile is dropped
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, files = 1, entries;

static void *rotate(void *arg)
{
    pthread_mutex_lock(&lock);
    is_open = 0; /* R1 */
    files++;
    is_open = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *add(void *arg)
{
    if (is_open) { /* R2 */
        pthread_mutex_lock(&lock);
        entries++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    run_both(rotate, add);
    printf("%d entries in %d files\n", entries, files);
    return 0;
}
