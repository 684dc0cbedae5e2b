/* A cache of one entry: its key is compared in one section, its value is taken in the next; another
 * entry comes in between
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * crossed:  R1-R2-R3-R4
 */
#include "threads.h"

static int key = 1, value = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look_up(void *arg)
{
    pthread_mutex_lock(&lock);
    int is_hit = key == 1; /* R1 */
    pthread_mutex_unlock(&lock);
    if (is_hit) {
        pthread_mutex_lock(&lock);
        int v = value; /* R4 */
        pthread_mutex_unlock(&lock);
        printf("%d\n", v);
    }
    return arg;
}

static void *replace(void *arg)
{
    pthread_mutex_lock(&lock);
    key = 2;    /* R2 */
    value = 20; /* R3 */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(look_up, replace);
    return 0;
}
